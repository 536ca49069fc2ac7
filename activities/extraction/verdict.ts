/**
 * Decides the outcome of one product file, with a reason, from the known data. Pure, except for the set of seen
 * products.
 */

import type { Verdict } from '../../src/contract/statuses.ts';
import type { InsertStep } from '../../src/contract/steps.ts';
import type {
  CreatedFile,
  FileOutcome,
  LatestSubmission,
  LinkedAttachment,
} from '../../src/database/repositories/extraction.ts';
import { BoundedNotes } from '../../src/domain/notes.ts';
import type { ParsedProduct } from '../../src/domain/product.ts';
import { changedSections } from '../../src/domain/steps.ts';
import { hashContent, hashSectionContents } from './content-hash.ts';
import type { Known } from './known.ts';
import type { ReadProduct } from './product-files.ts';

export interface Judgement {
  verdict: Verdict;
  /** The outcome to record. */
  outcome: FileOutcome;
  /** Null if the file could not be read. */
  product: ParsedProduct | null;
  /** Sections that differ from the product's last submission. */
  changedSections: InsertStep[];
  /** Why no submission is created, or why an unchanged product is sent again. */
  reason: string | null;
}

/** @param seen products of this package so far; the judged one is added */
export function judge({ file, gzip, result }: ReadProduct, seen: Set<string>, known: Known): Judgement {
  const entry = { entryIndex: file.index, entryPath: file.path, xmlFile: file.name };
  const without = (
    verdict: 'skipped' | 'unchanged' | 'refused',
    reason: string,
    productId: string | null,
    product: ParsedProduct | null = null,
  ): Judgement => {
    const outcome = verdict === 'refused' ? 'failed' : 'skipped';
    return {
      verdict,
      outcome: { ...entry, outcome, reason, productId },
      product,
      changedSections: [],
      reason,
    };
  };
  if (result.ok === 'skip') return without('skipped', result.reason, null);
  if (!result.ok) return without('refused', result.reason, result.productId);
  const { product, sectionHashes } = result;
  const { productId } = product;
  if (seen.has(productId)) {
    const reason = `Product ${productId} occurs more than once in this package; its first file counts.`;
    return without('skipped', reason, productId, product);
  }
  seen.add(productId);
  const submitter = product.submitterId === null ? undefined : known.submitters.get(product.submitterId);
  const contents = hashSectionContents(sectionHashes, product, known.attachments, submitter?.details ?? null);
  const contentHash = hashContent(contents);
  const last = known.latest.get(productId);
  if (last?.status === 'regulator_inserted' && last.contentHash === contentHash) {
    const asCase = last.caseId === null ? '' : ` as case ${last.caseId}`;
    const reason = `Product ${productId} is unchanged since it was inserted${asCase}.`;
    return without('unchanged', reason, productId, product);
  }
  const created: CreatedFile = {
    ...entry,
    ...linked(product, known),
    outcome: 'created',
    contentHash,
    sectionHashes: contents,
    rawXml: gzip ?? Buffer.alloc(0),
    submitterRowId: submitter?.id ?? null,
  };
  return { ...compared(contents, last), outcome: created, product: created.product };
}

/** Compares with the product's last submission, in any status. */
function compared(
  contents: Record<InsertStep, string>,
  last: LatestSubmission | undefined,
): Pick<Judgement, 'verdict' | 'changedSections' | 'reason'> {
  if (!last) return { verdict: 'new', changedSections: [], reason: null };
  const changed = changedSections(last.sectionHashes, contents);
  if (changed.length > 0) return { verdict: 'changed', changedSections: changed, reason: null };
  const reason = `Its last submission, ${last.submissionId}, is ${last.status}: the same is sent again.`;
  return { verdict: 'new', changedSections: [], reason };
}

/** Links the product to the stored attachments and adds a warning for each missing one. */
function linked(
  product: ParsedProduct,
  { attachments: known }: Known,
): Pick<CreatedFile, 'product' | 'attachments'> {
  const attachments: LinkedAttachment[] = [];
  const missing = new BoundedNotes();
  for (const { attachmentId, step, path } of product.attachments) {
    const row = known.get(attachmentId);
    attachments.push({ attachmentId, step, attachmentRowId: row?.id ?? null });
    if (!row)
      missing.add(
        () =>
          `${path} refers to the attachment ${attachmentId}, which is neither in this package nor known from an earlier one`,
      );
  }
  return { product: { ...product, warnings: [...product.warnings, ...missing.list] }, attachments };
}
