/**
 * The activity of a dry run. It reads and judges a package like an import. It stores only a report, which the gateway
 * fetches.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { PackageReader } from '../../src/archive/package-reader.ts';
import { checkKey, isPackageKey } from '../../src/archive/storage.ts';
import { excerpt } from '../../src/common/text.ts';
import type { DryRunProduct, ProductDiff } from '../../src/contract/types.ts';
import { NotFound } from '../../src/domain/client-errors.ts';
import { UUID_PATTERN } from '../../src/domain/ids.ts';
import { type PackageToCheck, type UnreadableFile, writtenCheck } from '../../src/domain/package-check.ts';
import type { Json } from '../../src/domain/product.ts';
import { readAttachment } from '../../src/products/attachment-reader.ts';
import type { ReadingDependencies } from '../dependencies.ts';
import { type Known, lookUp } from './known.ts';
import { createNoteBudget } from './note-budget.ts';
import { createProductDiffs, DIFF_MEMORY_BYTES } from './product-diff.ts';
import { productFiles, readProducts } from './product-files.ts';
import { type ReferredFile, readReferredFiles, readSubmitterFile } from './referred-files.ts';
import { type Judgement, judge, withoutOthersProducts } from './verdict.ts';
import { type ShowProgress, withPackage } from './with-package.ts';

/** Attachments and submitters of the package itself. */
interface Brought {
  attachments: Map<string, { id: null; sha256: string }>;
  submitters: Map<string, { id: null; details: Json }>;
  unreadable: UnreadableFile[];
}

/**
 * Fewer than for an import: a person waits, and can ask again. Two tries are lost before one reads alone, and the next
 * try is the last (workflows/activity-proxies.ts).
 */
const DEATHS_ALLOWED = 1;

export function createCheckPackage(
  dependencies: Pick<
    ReadingDependencies,
    'database' | 'storage' | 'readingBudgets' | 'parser' | 'refusedChecks'
  >,
) {
  const { database, storage, parser, refusedChecks } = dependencies;
  /** Returns the number of products. Their verdicts are in the storage. */
  return async function checkPackage(input: PackageToCheck): Promise<{ products: number }> {
    requireOurs(input);
    const extraBytes = input.diff === undefined ? 0 : DIFF_MEMORY_BYTES;
    const read = { storageKey: input.storageKey, deathsAllowed: DEATHS_ALLOWED, extraBytes };
    return withPackage(dependencies, read, async (reader, { showProgress }) => {
      const brought = await readBrought(reader, showProgress);
      const products = judgedProducts(input, brought, reader, showProgress);
      const report = writtenCheck(products, brought.unreadable);
      await storage.put(checkKey(input.checkUuid), Readable.from(report, { objectMode: false }));
      return { products: productFiles(reader).length };
    });
  };

  async function* judgedProducts(
    { tenant, submitters = null, diff: shown }: PackageToCheck,
    brought: Brought,
    reader: PackageReader,
    showProgress: ShowProgress,
  ): AsyncGenerator<DryRunProduct[]> {
    const files = productFiles(reader);
    const seen = new Set<string>();
    const withinBudget = createNoteBudget();
    const diffOf = shown && createProductDiffs(database, { tenant, shown });
    let done = 0;
    for await (const read of readProducts(files, reader, parser)) {
      const batch = withoutOthersProducts(read, submitters);
      const known = withBrought(await lookUp(database, { tenant, exceptImport: null }, batch), brought);
      const checked: DryRunProduct[] = [];
      for (const file of batch) {
        const judgement = withinBudget(judge(file, seen, known, { refused: refusedChecks }));
        checked.push(checkedProduct(judgement, await diffOf?.(judgement, known)));
      }
      yield checked;
      done += batch.length;
      showProgress({ phase: 'products', done, total: files.length });
    }
  }
}

/**
 * Checks both names before they are used as file names: they come from the starter of the workflow.
 *
 * @throws NotFound, not retryable
 */
function requireOurs({ storageKey, checkUuid }: PackageToCheck): void {
  if (!isPackageKey(storageKey)) throw new NotFound('Stored package', excerpt(storageKey));
  if (!UUID_PATTERN.test(checkUuid)) throw new NotFound('Check', excerpt(checkUuid));
}

async function readBrought(reader: PackageReader, showProgress: ShowProgress): Promise<Brought> {
  const brought: Brought = { attachments: new Map(), submitters: new Map(), unreadable: [] };
  await readReferredFiles(reader, showProgress, (file) => bring(brought, reader, file), {
    handled: new Set(),
    listed: 0,
    list: ({ kind, name }, reasons) => void brought.unreadable.push({ kind, xmlFile: name, reasons }),
    close: (note) => void brought.unreadable.push(note),
  });
  return brought;
}

async function bring(brought: Brought, reader: PackageReader, file: ReferredFile): Promise<void> {
  if (file.kind === 'submitter') {
    const { submitterId, details } = await readSubmitterFile(reader, file);
    brought.submitters.set(submitterId, { id: null, details });
    return;
  }
  const { content, details } = readAttachment(reader.pieces(file));
  const hash = createHash('sha256');
  for await (const piece of content) hash.update(piece);
  brought.attachments.set(details().attachmentId, { id: null, sha256: hash.digest('hex') });
}

/** Merges the package's own files over the known ones: those of the package are newer. */
function withBrought({ latest, attachments, submitters }: Known, brought: Brought): Known {
  return {
    latest,
    attachments: new Map([...attachments, ...brought.attachments]),
    submitters: new Map([...submitters, ...brought.submitters]),
  };
}

function checkedProduct(
  { verdict, outcome, product, changedSections, reasons }: Judgement,
  diff: ProductDiff | null | undefined,
): DryRunProduct {
  return {
    xml_file: outcome.xmlFile,
    product_id: product?.productId ?? (outcome.outcome === 'created' ? null : outcome.productId),
    product_type: product?.productType ?? null,
    outcome: verdict,
    changed_sections: changedSections,
    reasons,
    warnings: product?.warnings ?? [],
    ...(diff !== undefined && { diff }),
  };
}
