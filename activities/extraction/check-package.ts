/**
 * A dry run: the same reading and the same judging as an import, of which nothing is kept but the report, for the
 * gateway to fetch.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { openPackage, type PackageReader } from '../../src/archive/package-reader.ts';
import { checkKey } from '../../src/archive/storage.ts';
import type { CheckedProduct, PackageCheck } from '../../src/domain/package-check.ts';
import { readAttachment } from '../../src/products/attachment-reader.ts';
import type { ImportDependencies } from '../dependencies.ts';
import { heartbeating } from '../heartbeating.ts';
import { type ExtractionProgress, lookUp } from './extract-products.ts';
import type { Judgement, KnownAttachment, KnownSubmitter } from './judge-product.ts';
import { judgeProducts, productFiles, type References } from './judge-products.ts';
import { type ReferredFile, readReferredFiles, readSubmitterFile } from './read-package-files.ts';

export interface CheckInput {
  /** Names the report. */
  checkUuid: string;
  /** Of the ZIP. */
  storageKey: string;
  /** Whose attachments and submitters are known. */
  clientId: string;
}

/** What a package brings for its products to refer to. */
interface Brought {
  attachments: Map<string, KnownAttachment>;
  submitters: Map<string, KnownSubmitter>;
}

type Report = (progress: ExtractionProgress) => void;

export function createCheckPackage({
  database,
  storage,
  parser,
}: Pick<ImportDependencies, 'database' | 'storage' | 'parser'>) {
  /** Returns how many products there are; their verdicts are in the storage. */
  return async function checkPackage(input: CheckInput): Promise<{ products: number }> {
    const check = await heartbeating(async (report) => {
      const reader = await openPackage(await storage.open(input.storageKey));
      try {
        return await checkFiles(input, reader, report);
      } finally {
        await reader.close();
      }
    });
    await storage.put(checkKey(input.checkUuid), Readable.from([Buffer.from(JSON.stringify(check))]));
    return { products: check.products.length };
  };

  async function checkFiles({ clientId }: CheckInput, reader: PackageReader, report: Report) {
    const brought: Brought = { attachments: new Map(), submitters: new Map() };
    const check: PackageCheck = { products: [], unreadable: [] };
    await readReferredFiles(
      reader,
      report,
      (file) => bring(brought, reader, file),
      ({ kind, name }, reason) => void check.unreadable.push({ kind, xmlFile: name, reason }),
    );
    const files = productFiles(reader);
    const judging = {
      reader,
      parser,
      seen: new Set<string>(),
      async lookUp(references: References) {
        const known = await lookUp(database, { id: null, clientId }, references);
        return {
          latest: known.latest,
          attachments: new Map([...known.attachments, ...brought.attachments]),
          submitters: new Map([...known.submitters, ...brought.submitters]),
        };
      },
    };
    for await (const judgements of judgeProducts(files, judging)) {
      check.products.push(...judgements.map(checkedProduct));
      report({ phase: 'products', done: check.products.length, total: files.length });
    }
    return check;
  }
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

function checkedProduct({ verdict, outcome, product, changedSections, reason }: Judgement): CheckedProduct {
  return {
    xmlFile: outcome.xmlFile,
    verdict,
    productId: product?.productId ?? (outcome.outcome === 'created' ? null : outcome.productId),
    productType: product?.productType ?? null,
    changedSections,
    reason,
    warnings: product?.warnings ?? [],
  };
}
