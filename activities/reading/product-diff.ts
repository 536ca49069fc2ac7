/**
 * Differences between the products of a package and their last inserted submissions, on request of a dry run, within
 * bounds (decision §diffs-are-bounded). Values are confidential and are written only to the report.
 */

import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { INSERT_STEPS, type InsertStep } from '../../src/contract/steps.ts';
import type { ProductDiff } from '../../src/contract/types.ts';
import {
  type InsertedSections,
  PATCH_BYTES_OF_A_PACKAGE,
  PATCH_BYTES_OF_A_PRODUCT,
  type ShownSubmissions,
} from '../../src/domain/product.ts';
import { SUBMITTER_STEP } from '../../src/domain/steps.ts';
import type { ImportDependencies } from '../dependencies.ts';
import { detailsText, type Known, type KnownAttachment, valueText } from './known-records.ts';
import type { Judgement } from './verdict.ts';

/** Limit of added and removed lines: the time of a comparison grows with their square. A patch holds fewer. */
const MAX_EDITS = 400;
const CONTEXT_LINES = 2;

/** Memory of one comparison beyond the product itself, in bytes: the inserted sections, and both versions as text. */
export const DIFF_MEMORY_BYTES = 32 * 1024 * 1024;

interface DiffRequest {
  tenant: string;
  shown: ShownSubmissions;
}

/** Compares one product at a time: an inserted submission may be as large as the product. */
export function createProductDiffs(
  { productHistory }: Pick<ImportDependencies['database'], 'productHistory'>,
  { tenant, shown }: DiffRequest,
  limits = { product: PATCH_BYTES_OF_A_PRODUCT, package: PATCH_BYTES_OF_A_PACKAGE },
) {
  let left = limits.package;
  const overBudget = `The package has more than ${limits.package} bytes of differences. Check this product in a separate package.`;

  /** Null if the product would not be sent, or no submission of it was inserted. */
  return async function diffOf(judgement: Judgement, known: Known): Promise<ProductDiff | null> {
    const { product, outcome } = judgement;
    if (product === null || outcome.outcome !== 'created') return null;
    if (left <= 0) return { submission_id: null, patch: '', left_out: overBudget };
    const base = await productHistory.lastInserted(product.productId, shown === 'all' ? null : tenant);
    if (base === null) return null;
    const { submissionId } = base;
    if (base.hidden) {
      const leftOut =
        'The last submission of the product was imported by another client, or for other submitters.';
      return { submission_id: submissionId, patch: '', left_out: leftOut };
    }
    const diff = compared(base, { ...product, known }, Math.min(left, limits.product));
    // A diff that is left out counts in full: its comparison took time as well.
    left -= diff.left_out === null ? Buffer.byteLength(diff.patch) : limits.product;
    return diff;
  };
}

type NewProduct = Pick<NonNullable<Judgement['product']>, 'sections' | 'submitterId'> & { known: Known };

function compared(base: InsertedSections, product: NewProduct, limitBytes: number): ProductDiff {
  const { submissionId } = base;
  let patch = '';
  const leftOut: InsertStep[] = [];
  for (const step of INSERT_STEPS) {
    const section = patchOf(step, submissionId, textBefore(base, step), textNow(product, step));
    if (section === null || Buffer.byteLength(patch) + Buffer.byteLength(section) > limitBytes)
      leftOut.push(step);
    else patch += section;
  }
  const reason =
    leftOut.length > 0 ? `These sections have too many differences to show: ${leftOut.join(', ')}.` : null;
  return { submission_id: submissionId, patch, left_out: reason };
}

/** @returns an empty text without differences, null if the comparison exceeds the bounds */
function patchOf(
  step: InsertStep,
  submissionId: number,
  before: string | null,
  now: string | null,
): string | null {
  if (before === null || now === null) return null;
  if (before === now) return '';
  if (differingLines(before, now) > MAX_EDITS) return null;
  const patch = createTwoFilesPatch(
    `submission-${submissionId}/${step}`,
    `package/${step}`,
    before,
    now,
    undefined,
    undefined,
    { context: CONTEXT_LINES, maxEditLength: MAX_EDITS, headerOptions: FILE_HEADERS_ONLY },
  );
  return patch ?? null;
}

/** Lower bound of the added and removed lines, in linear time. It avoids a comparison that cannot succeed. */
function differingLines(before: string, now: string): number {
  const lines = [before, now].map((text) => new Set(text.split('\n')));
  const [old = new Set(), fresh = new Set()] = lines;
  return old.symmetricDifference(fresh).size;
}

function textBefore({ sections, attachments, submitter }: InsertedSections, step: InsertStep): string | null {
  const linesOfAttachment = (id: string) => {
    const attachment = attachments[id];
    return attachmentLines(attachment && { ...attachment, details: detailsText(attachment) });
  };
  return sectionText(step, sections[step], submitter, linesOfAttachment);
}

function textNow({ sections, submitterId, known }: NewProduct, step: InsertStep): string | null {
  const submitter = submitterId === null ? undefined : known.submitters.get(submitterId)?.details;
  const linesOfAttachment = (id: string) => attachmentLines(known.attachments.get(id));
  return sectionText(step, sections[step], submitter, linesOfAttachment);
}

/** Adds the submitter file to the section that names it (package format §3). */
function sectionText(
  step: InsertStep,
  section: unknown,
  submitter: unknown,
  linesOfAttachment: LinesOfAttachment,
): string | null {
  const fields = fieldLines(section, linesOfAttachment);
  if (step !== SUBMITTER_STEP) return fields;
  const details = fieldLines(submitter ?? null, linesOfAttachment, 'SubmitterFile');
  return fields === null || details === null ? null : fields + details;
}

/** The data of an attachment that the regulator gets, one line each. */
type LinesOfAttachment = (attachmentId: string) => readonly string[];

function attachmentLines(attachment: Omit<KnownAttachment, 'id'> | null | undefined): readonly string[] {
  if (!attachment) return ['(content): not known'];
  return [`(content): SHA-256 ${attachment.sha256}`, `(file): ${attachment.details}`];
}

/** Characters of a section; longer sections are not compared. */
const LONGEST_TEXT = 1024 * 1024;

/**
 * A section as text for comparison, one line per field: `path: value`. Sorts the fields, because the database does not
 * keep the order of JSON keys. Paths are those of the stored section: `Presentations[2]/BrandName/value`. Values are
 * JSON, so that each is one line.
 *
 * @param linesOfAttachment follow the line with its ID
 * @returns null if the text would be too long
 */
export function fieldLines(
  value: unknown,
  linesOfAttachment: LinesOfAttachment = () => [],
  root = '',
): string | null {
  let text = '';
  for (const line of linesOf(value, root, linesOfAttachment)) {
    text += `${line}\n`;
    if (text.length > LONGEST_TEXT) return null;
  }
  return text;
}

function* linesOf(value: unknown, path: string, linesOfAttachment: LinesOfAttachment): Generator<string> {
  if (Array.isArray(value) && value.length > 0) {
    for (const [index, item] of value.entries())
      yield* linesOf(item, `${path}[${index + 1}]`, linesOfAttachment);
  } else if (isFilled(value)) {
    for (const name of Object.keys(value).sort()) {
      const below = path === '' ? name : `${path}/${name}`;
      const content = value[name];
      yield* linesOf(content, below, linesOfAttachment);
      if (name === 'attachmentID' && typeof content === 'string')
        for (const line of linesOfAttachment(content)) yield `${below} ${line}`;
    }
  } else if (value !== null && value !== undefined) yield `${path}: ${valueText(value)}`;
}

function isFilled(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}
