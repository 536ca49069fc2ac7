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
import { readAttachment } from '../../src/products/attachment-reader.ts';
import type { ReadingDependencies } from '../dependencies.ts';
import { detailsText, findKnown, type Known, type KnownAttachment, referencesOf } from './known-records.ts';
import type { ShowProgress } from './limit-lost-attempts.ts';
import { createNoteBudget } from './note-budget.ts';
import { createProductDiffs, DIFF_MEMORY_BYTES } from './product-diff.ts';
import { productFiles, type ReadProduct, readProducts } from './product-files.ts';
import { type ReferredFile, readSubmitterFile, unreadableFiles } from './referred-files.ts';
import { type Judgement, judge, withoutOthersProducts } from './verdict.ts';
import { withPackage } from './with-package.ts';

/**
 * Attachments and submitters of the package itself. A package may have 50,000 submitter files of 64 KiB each. A dry run
 * keeps their places in the archive, and reads a file again for the products that refer to it.
 */
interface PackageFiles {
  attachments: Map<string, KnownAttachment>;
  submitters: Map<string, ReferredFile>;
  unreadable: UnreadableFile[];
}

/**
 * Fewer than for an import: a person waits, and can ask again. Two attempts are lost before one reads alone, and the next
 * attempt is the last (workflows/activity-proxies.ts).
 */
const MAX_LOST_ALONE = 1;

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
    const read = { storageKey: input.storageKey, maxLostAlone: MAX_LOST_ALONE, extraBytes };
    return withPackage(dependencies, read, async (reader, { showProgress }) => {
      const packageFiles = await readPackageFiles(reader, showProgress);
      const products = judgedProducts(input, packageFiles, reader, showProgress);
      const report = writtenCheck(products, packageFiles.unreadable);
      await storage.put(checkKey(input.checkUuid), Readable.from(report, { objectMode: false }));
      return { products: productFiles(reader).length };
    });
  };

  async function* judgedProducts(
    { tenant, submitters = null, diff: shown }: PackageToCheck,
    packageFiles: PackageFiles,
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
      const stored = await findKnown(database, { tenant, importId: null }, batch);
      const known = await withPackageFiles(stored, packageFiles, batch, reader);
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

async function readPackageFiles(reader: PackageReader, showProgress: ShowProgress): Promise<PackageFiles> {
  const packageFiles: PackageFiles = { attachments: new Map(), submitters: new Map(), unreadable: [] };
  const read = (file: ReferredFile) => addPackageFile(packageFiles, reader, file);
  for await (const { kind, xmlFile, reasons } of unreadableFiles(reader, showProgress, read))
    packageFiles.unreadable.push({ kind, xmlFile, reasons });
  return packageFiles;
}

async function addPackageFile(
  packageFiles: PackageFiles,
  reader: PackageReader,
  file: ReferredFile,
): Promise<void> {
  if (file.kind === 'submitter') {
    const { submitterId } = await readSubmitterFile(reader, file);
    packageFiles.submitters.set(submitterId, file);
    return;
  }
  const attachment = readAttachment(reader.pieces(file));
  const hash = createHash('sha256');
  for await (const piece of attachment.content) hash.update(piece);
  const details = attachment.details();
  const sha256 = hash.digest('hex');
  packageFiles.attachments.set(details.attachmentId, { id: null, sha256, details: detailsText(details) });
}

/** Adds the package's own files to the known ones of a batch. They are newer. */
async function withPackageFiles(
  known: Known,
  { attachments, submitters }: PackageFiles,
  batch: ReadProduct[],
  reader: PackageReader,
): Promise<Known> {
  const all = { ...known, attachments: new Map(known.attachments), submitters: new Map(known.submitters) };
  const { attachmentIds, submitterIds } = referencesOf(batch);
  for (const id of attachmentIds) {
    const attachment = attachments.get(id);
    if (attachment) all.attachments.set(id, attachment);
  }
  for (const id of submitterIds) {
    const file = submitters.get(id);
    if (file) all.submitters.set(id, { id: null, details: (await readSubmitterFile(reader, file)).details });
  }
  return all;
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
