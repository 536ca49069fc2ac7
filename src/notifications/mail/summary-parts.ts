/** Data of the summary e-mail, and its parts, for text and HTML alike, in order of importance. */
import { count } from '../../common/text.ts';

/** Warnings shown per product. The mail gives the number of further ones. */
export const WARNINGS_SHOWN = 5;

/** Display order: outcomes that need action come first. */
export const MAILED_PRODUCT_OUTCOMES = ['failed', 'unfinished', 'not queued', 'inserted'] as const;
export type MailedProductOutcome = (typeof MAILED_PRODUCT_OUTCOMES)[number];

/** Outcomes of files that became no product. `unreadable` files are attachments and submitter files. */
export const FILE_OUTCOMES = ['refused', 'unreadable', 'skipped'] as const;
export type MailedFileOutcome = (typeof FILE_OUTCOMES)[number];

export type MailedOutcome = MailedProductOutcome | MailedFileOutcome;

/** A product, or a file that became none. */
export interface SummaryRow {
  outcome: MailedOutcome;
  /** Product ID or name of the file. */
  subject: string;
  /** Why it failed, was not queued or not read, and what to do. */
  reason: string | null;
  /** Absent for a file. */
  product?: SummaryProduct;
}

export interface SummaryProduct {
  submissionId: number;
  productType: string;
  caseId: string | null;
  warnings: string[];
}

export interface Summary {
  importId: number;
  fileName: string;
  comment: string | null;
  uploadedAt: Date;
  /** Whether the import failed as a whole, for the reason in `remark`. */
  couldNotBeRead: boolean;
  /** How the import ended, if not normally. */
  remark: string | null;
  /** Counts of all rows. */
  counts: Readonly<Record<MailedOutcome, number>>;
  /**
   * In the order of the table: refused files, products by outcome and those with warnings first, other files. They may be
   * the first rows only, up to the size of a table.
   */
  rows: SummaryRow[];
}

/** A repair pack holds refused files, and files of products that were not inserted. */
function hasRepairPack({ counts }: Pick<Summary, 'counts'>): boolean {
  return counts.refused + counts.failed + counts.unfinished + counts['not queued'] > 0;
}

/** Whether some of its products may be run again unchanged. */
function canBeRetried({ counts }: Pick<Summary, 'counts'>): boolean {
  return counts.failed + counts['not queued'] > 0;
}

/** Number of products and files together. */
export function totalOf(counts: Summary['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** One line with the counts: the subject's tail and the mail's first sentence. */
export function headline({ couldNotBeRead, counts }: Pick<Summary, 'couldNotBeRead' | 'counts'>): string {
  if (couldNotBeRead) return 'the package could not be read';
  const parts = [
    `${counts.inserted} inserted`,
    `${counts.failed} failed`,
    ...(counts['not queued'] > 0 ? [`${counts['not queued']} not queued`] : []),
    ...(counts.unfinished > 0 ? [`${counts.unfinished} unfinished`] : []),
    `${count(counts.refused, 'file')} refused`,
    `${count(counts.skipped, 'file')} skipped`,
  ];
  return parts.join(', ');
}

export function subjectOf(summary: Summary): string {
  return `Package import ${summary.importId}: ${headline(summary)}`;
}

/** Pairs of names and values. */
export function intro(summary: Summary): [string, string][] {
  return [
    ['Package', summary.fileName],
    ['Uploaded', `${summary.uploadedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['Import', String(summary.importId)],
    ...(summary.comment === null ? [] : [['Comment', summary.comment] as [string, string]]),
    ...(summary.remark === null ? [] : [['Note', summary.remark] as [string, string]]),
  ];
}

export interface Command {
  /** For the command line (docs/command-line.md). */
  command: string;
  what: string;
}

/** Commands that resolve failures. */
export function commandsFor(summary: Summary): Command[] {
  const { importId } = summary;
  return [
    ...(canBeRetried(summary)
      ? [
          {
            command: `package-import retry ${importId}`,
            what: 'retry the products that failed or were not queued',
          },
        ]
      : []),
    ...(hasRepairPack(summary)
      ? [
          {
            command: `package-import repair-pack ${importId}`,
            what: 'download the files that failed, to correct and upload them',
          },
        ]
      : []),
  ];
}

/** Failures come first, then successes, then deliberate omissions. */
const TITLES: Readonly<Record<MailedOutcome, string>> = {
  failed: 'Failed products',
  unfinished: 'Unfinished products',
  'not queued': 'Products that were not queued',
  refused: 'Refused files',
  unreadable: 'Files that were not read',
  inserted: 'Inserted products',
  skipped: 'Skipped files',
};

/** The rows by outcome. Empty sections are left out. */
export function sectionsOf(shown: readonly SummaryRow[]): { title: string; rows: SummaryRow[] }[] {
  return Object.entries(TITLES)
    .map(([outcome, title]) => ({ title, rows: shown.filter((row) => row.outcome === outcome) }))
    .filter(({ rows }) => rows.length > 0);
}

export const NO_PRODUCT = 'No product was created from this package.';

export function hasNoProduct({ counts }: Summary): boolean {
  return MAILED_PRODUCT_OUTCOMES.every((outcome) => counts[outcome] === 0);
}

/** The case of an inserted product, or the reason. */
export function detailOf({ outcome, reason, product }: SummaryRow): string {
  if (outcome === 'inserted') return product?.caseId == null ? '' : `case ${product.caseId}`;
  return reason ?? '';
}

/** The first warnings, and the number of further ones. */
export function warningsOf({ warnings }: SummaryProduct): string[] {
  const more = warnings.length - WARNINGS_SHOWN;
  return more > 0 ? [...warnings.slice(0, WARNINGS_SHOWN), `… and ${count(more, 'more warning')}`] : warnings;
}
