/**
 * Decides the outcome of one product file, with a reason, from the known data. Pure, except for the set of seen
 * products.
 */
import { hash } from 'node:crypto';
import { stringify } from 'safe-stable-stringify';
import { plainReason } from '../../src/contract/reasons.ts';
import type { Verdict } from '../../src/contract/statuses.ts';
import { INSERT_STEPS, type InsertStep } from '../../src/contract/steps.ts';
import type { Reason } from '../../src/contract/types.ts';
import type { LatestSubmission } from '../../src/database/repositories/product-history.ts';
import type { CreatedFile, FileOutcome, LinkedAttachment } from '../../src/database/repositories/reading.ts';
import { BoundedNotes } from '../../src/domain/notes.ts';
import {
  isOfSubmitters,
  type Json,
  type ParsedProduct,
  type Submitters,
  submitterOf,
} from '../../src/domain/product.ts';
import { changedSections, perStep, SUBMITTER_STEP } from '../../src/domain/steps.ts';
import { type History, previousProductOf } from '../../src/products/compared-with-inserted.ts';
import { checkHistory } from '../../src/products/history-checks.ts';
import type { CheckOptions } from '../../src/products/product-checks.ts';
import type { Known, KnownAttachment } from './known-records.ts';
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
  reasons: Reason[];
}

/**
 * Refuses the files of a batch whose product belongs to another company. It runs before any lookup: stored data about
 * such a product must not influence the answer to the client (decision §imports-have-an-owner).
 *
 * @param submitters submitters in the client's token
 */
export function withoutOthersProducts(batch: ReadProduct[], submitters: Submitters): ReadProduct[] {
  return batch.map((read): ReadProduct => {
    if (read.result.ok !== true || isOfSubmitters(submitters, read.result.product.productId)) return read;
    const { productId } = read.result.product;
    const text = `The product belongs to submitter ${submitterOf(productId)}, which the access token does not list. Import it with a token for that submitter.`;
    return { ...read, result: { ok: false, reasons: [plainReason(text)], productId } };
  });
}

/**
 * @param seen products of this package so far; the judged one is added, unless its file is refused
 * @param checks for the checks against what was inserted before
 */
export function judge(
  { file, gzip, result }: ReadProduct,
  seen: Set<string>,
  known: Known,
  checks: Partial<CheckOptions>,
): Judgement {
  const entry = { entryIndex: file.index, entryPath: file.path, xmlFile: file.name };
  const without = (
    verdict: 'skipped' | 'unchanged' | 'refused',
    reasons: Reason[],
    productId: string | null,
    product: ParsedProduct | null = null,
  ): Judgement => {
    const outcome = verdict === 'refused' ? 'failed' : 'skipped';
    return {
      verdict,
      outcome: { ...entry, outcome, reasons, productId },
      product,
      changedSections: [],
      reasons,
    };
  };
  if (result.ok === 'skip') return without('skipped', result.reasons, null);
  if (!result.ok) return without('refused', result.reasons, result.productId);
  const { product: read, sectionHashes } = result;
  const { productId } = read;
  if (seen.has(productId)) {
    const reason = 'The product occurs more than once in this package. Only its first file is used.';
    return without('skipped', [plainReason(reason)], productId, read);
  }
  const submitter = read.submitterId === null ? undefined : known.submitters.get(read.submitterId);
  const contents = hashSectionContents(sectionHashes, read, known.attachments, submitter?.details ?? null);
  const contentHash = hashContent(contents);
  const last = known.latest.get(productId);
  const isUnchanged = last?.status === 'regulator_inserted' && last.contentHash === contentHash;
  if (isUnchanged && !last.mayBePassed) {
    const asCase = last.caseId === null ? '' : ` as case ${last.caseId}`;
    const reason = `The product is unchanged since it was inserted${asCase}.`;
    seen.add(productId);
    return without('unchanged', [plainReason(reason)], productId, read);
  }
  // The submission of an unchanged product supersedes a change of an earlier package (decision §one-insert-per-product).
  const found = isUnchanged ? null : checkHistory(read, historyOf(read, contents, known), checks);
  if (found && found.problems.count > 0) return without('refused', found.problems.list, productId);
  seen.add(productId);
  const product = { ...read, warnings: [...read.warnings, ...(found?.warnings.list ?? [])] };
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

function historyOf(product: ParsedProduct, contents: Record<InsertStep, string>, { latest }: Known): History {
  const last = latest.get(product.productId);
  const isInserted = last?.status === 'regulator_inserted';
  return {
    inserted: last?.inserted ?? null,
    underWay: isUnderWay(last),
    isPreviousKnown: previousProductOf(product).some(
      (id) => isUnderWay(latest.get(id)) || (latest.get(id)?.inserted ?? null) !== null,
    ),
    changed: isInserted
      ? changedSections(last.sectionHashes, contents).filter((step) => step !== SUBMITTER_STEP)
      : [],
  };
}

const isUnderWay = (last: LatestSubmission | undefined): boolean =>
  last?.status === 'local' || last?.status === 'regulator_inserting';

/** Compares with the product's last submission, in any status. */
function compared(
  contents: Record<InsertStep, string>,
  last: LatestSubmission | undefined,
): Pick<Judgement, 'verdict' | 'changedSections' | 'reasons'> {
  if (!last) return { verdict: 'new', changedSections: [], reasons: [] };
  const changed = changedSections(last.sectionHashes, contents);
  if (changed.length > 0) return { verdict: 'changed', changedSections: changed, reasons: [] };
  const reason = `The product is unchanged, but its last submission ${last.submissionId} is ${last.status}. It is sent again.`;
  return { verdict: 'new', changedSections: [], reasons: [plainReason(reason)] };
}

/** Links the product to the stored attachments and adds a warning for each missing one. */
function linked(
  product: ParsedProduct,
  { attachments: known }: Known,
): Pick<CreatedFile, 'product' | 'attachments'> {
  const attachments: LinkedAttachment[] = [];
  const missing = new BoundedNotes();
  for (const { attachmentId, step, path, line } of product.attachments) {
    const row = known.get(attachmentId);
    attachments.push({ attachmentId, step, attachment: row?.id ?? null });
    if (!row) {
      const text = `the attachment ${attachmentId} is neither in this package nor known from an earlier one`;
      missing.add(() => ({ ...plainReason(text), path, line }));
    }
  }
  return { product: { ...product, warnings: [...product.warnings, ...missing.list] }, attachments };
}

/**
 * One hash per section. It covers the section, and of its attachments what the regulator gets: content, name, type and
 * flag. The step that sends the submitter also covers the submitter's details.
 */
export function hashSectionContents(
  sectionHashes: Record<InsertStep, string>,
  { attachments }: Pick<ParsedProduct, 'attachments'>,
  known: ReadonlyMap<string, Omit<KnownAttachment, 'id'>>,
  submitter: Json,
): Record<InsertStep, string> {
  return perStep((step) => {
    const contents = attachments
      .filter((reference) => reference.step === step)
      .map(({ attachmentId }) => {
        const attachment = known.get(attachmentId);
        return `${attachmentId} ${attachment ? `${attachment.sha256} ${attachment.details}` : 'missing'}`;
      });
    // Sorted keys: the database does not keep the order of JSON keys.
    const details = step === SUBMITTER_STEP ? (stringify(submitter) ?? '') : '';
    return hash('sha256', [sectionHashes[step], ...contents.sort(), details].join(''));
  });
}

/** Hash over the sections, in the order of the steps. */
export function hashContent(sectionContents: Record<InsertStep, string>): string {
  return hash('sha256', INSERT_STEPS.map((step) => sectionContents[step]).join(''));
}
