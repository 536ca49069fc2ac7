/** The outcome of one product file, given what is known already. Pure. */
import { createHash } from 'node:crypto';
import type { PackageFile } from '../src/archive/package-reader.ts';
import type {
  CreatedFile,
  FileOutcome,
  LatestSubmission,
  LinkedAttachment,
} from '../src/database/repositories/extraction.ts';
import type { Json, ParsedProduct } from '../src/domain/product.ts';
import { INSERT_STEPS, type InsertStep } from '../src/domain/steps.ts';
import type { ParseResult } from '../src/products/parse-product.ts';

export interface ReadFile {
  file: PackageFile;
  /** Null where the file was not read at all. */
  bytes: Buffer | null;
  result: ParseResult | { ok: 'skip'; reason: string };
}

/** What the database knows: by product ID, by attachment ID, by submitter ID. */
export interface Known {
  latest: ReadonlyMap<string, LatestSubmission>;
  attachments: ReadonlyMap<string, { id: number; sha256: string }>;
  submitters: ReadonlyMap<string, { id: number; details: Json }>;
}

/** @param seen products of this package so far; the judged one is added */
export function judge({ file, bytes, result }: ReadFile, seen: Set<string>, known: Known): FileOutcome {
  const entry = { entryIndex: file.index, entryPath: file.path, xmlFile: file.name };
  if (result.ok === 'skip') return { ...entry, outcome: 'skipped', reason: result.reason, productId: null };
  if (!result.ok) return { ...entry, outcome: 'failed', reason: result.reason, productId: result.productId };
  const { product, sectionHashes } = result;
  const { productId } = product;
  const skip = (reason: string): FileOutcome => ({ ...entry, outcome: 'skipped', reason, productId });
  if (seen.has(productId)) {
    return skip(`Product ${productId} occurs more than once in this package; its first file counts.`);
  }
  seen.add(productId);
  const submitter = product.submitterId === null ? undefined : known.submitters.get(product.submitterId);
  const contentHash = hashContent(sectionHashes, product, known, submitter?.details);
  const last = known.latest.get(productId);
  if (last?.status === 'regulator_inserted' && last.contentHash === contentHash) {
    return skip(
      `Product ${productId} is unchanged since it was inserted${last.caseId === null ? '' : ` as case ${last.caseId}`}.`,
    );
  }
  return {
    ...entry,
    ...linked(product, known),
    outcome: 'created',
    contentHash,
    sectionHashes,
    rawXml: bytes ?? Buffer.alloc(0),
    submitterRowId: submitter?.id ?? null,
  };
}

/** The product with a warning for each attachment that we do not have, and its links to those that we have. */
function linked(
  product: ParsedProduct,
  { attachments: known }: Known,
): Pick<CreatedFile, 'product' | 'attachments'> {
  const attachments: LinkedAttachment[] = [];
  const missing: string[] = [];
  for (const { attachmentId, step, path } of product.attachments) {
    const row = known.get(attachmentId);
    attachments.push({ attachmentId, step, attachmentRowId: row?.id ?? null });
    if (!row)
      missing.push(
        `${path} refers to the attachment ${attachmentId}, which is neither in this package nor known from an earlier one`,
      );
  }
  return { product: { ...product, warnings: [...product.warnings, ...missing] }, attachments };
}

/**
 * Identical content, identical hash: over the sections in the order of the steps, the contents of the
 * attachments that they refer to, and the submitter's details.
 */
function hashContent(
  sectionHashes: Record<InsertStep, string>,
  { attachments }: ParsedProduct,
  known: Known,
  submitter: Json | undefined,
): string {
  const hash = createHash('sha256');
  for (const step of INSERT_STEPS) hash.update(sectionHashes[step]);
  const contents = attachments.map(
    ({ attachmentId }) => `${attachmentId} ${known.attachments.get(attachmentId)?.sha256 ?? 'missing'}`,
  );
  for (const content of [...new Set(contents)].sort()) hash.update(content);
  return hash.update(stableJson(submitter ?? null)).digest('hex');
}

/** JSON with sorted keys: what comes back from the database has lost the order in which it was written. */
function stableJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${stableJson(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}
