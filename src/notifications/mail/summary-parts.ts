/** Data of the summary e-mail, and its parts, for text and HTML alike, in order of importance. */
import { count } from '../../common/text.ts';

/** Warnings shown per product. The mail gives the number of further ones. */
export const WARNINGS_SHOWN = 5;

/** Display order: outcomes that need action come first. */
export const PRODUCT_OUTCOMES = ['failed', 'unfinished', 'not queued', 'inserted'] as const;
export type ProductOutcome = (typeof PRODUCT_OUTCOMES)[number];

export interface SummaryProduct {
  submissionId: number;
  productId: string;
  productType: string;
  outcome: ProductOutcome;
  caseId: string | null;
  /** Why it failed or was not queued, and what to do. */
  reason: string | null;
  warnings: string[];
}

export interface SummaryFile {
  xmlFile: string;
  reason: string;
}

export interface SummaryCounts {
  products: Readonly<Record<ProductOutcome, number>>;
  failedFiles: number;
  skippedFiles: number;
  unreadableFiles: number;
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
  /** Counts of all rows. The lists below may hold only the first rows, up to the size of a table. */
  counts: SummaryCounts;
  /** By outcome; products with warnings come before those without. */
  products: SummaryProduct[];
  failedFiles: SummaryFile[];
  skippedFiles: SummaryFile[];
  /** Attachment and submitter files. */
  unreadableFiles: SummaryFile[];
}

/** A repair pack holds refused files, and files of products that were not inserted. */
function hasRepairPack({ counts }: Pick<Summary, 'counts'>): boolean {
  const { failed, unfinished, 'not queued': notQueued } = counts.products;
  return counts.failedFiles + failed + unfinished + notQueued > 0;
}

/** Whether some of its products may be run again unchanged. */
function canBeRetried({ counts: { products } }: Pick<Summary, 'counts'>): boolean {
  return products.failed + products['not queued'] > 0;
}

/** Number of products and files together. */
export function totalOf({ products, failedFiles, skippedFiles, unreadableFiles }: SummaryCounts): number {
  const ofProducts = Object.values(products).reduce((sum, count) => sum + count, 0);
  return ofProducts + failedFiles + skippedFiles + unreadableFiles;
}

/** One line with the counts: the subject's tail and the mail's first sentence. */
export function headline({ couldNotBeRead, counts }: Pick<Summary, 'couldNotBeRead' | 'counts'>): string {
  if (couldNotBeRead) return 'the package could not be read';
  const { products, failedFiles, skippedFiles } = counts;
  const parts = [
    `${products.inserted} inserted`,
    `${products.failed} failed`,
    ...(products['not queued'] > 0 ? [`${products['not queued']} not queued`] : []),
    ...(products.unfinished > 0 ? [`${products.unfinished} unfinished`] : []),
    `${count(failedFiles, 'file')} refused`,
    `${count(skippedFiles, 'file')} skipped`,
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

type Section = { title: string; products: SummaryProduct[] } | { title: string; files: SummaryFile[] };

/** Failures come first, then successes, then deliberate omissions. Empty sections are left out. */
export function sectionsOf(shown: Summary): Section[] {
  const products = PRODUCT_OUTCOMES.map((outcome) => ({
    title: PRODUCT_TITLES[outcome],
    products: shown.products.filter((product) => product.outcome === outcome),
  })).filter((section) => section.products.length > 0);
  const files = (title: string, list: SummaryFile[]) => (list.length > 0 ? [{ title, files: list }] : []);
  return [
    ...products.filter(({ title }) => title !== PRODUCT_TITLES.inserted),
    ...files('Refused files', shown.failedFiles),
    ...files('Files that were not read', shown.unreadableFiles),
    ...products.filter(({ title }) => title === PRODUCT_TITLES.inserted),
    ...files('Skipped files', shown.skippedFiles),
  ];
}

const PRODUCT_TITLES = {
  failed: 'Failed products',
  unfinished: 'Unfinished products',
  'not queued': 'Products that were not queued',
  inserted: 'Inserted products',
} as const;

export const NO_PRODUCT = 'No product was created from this package.';

export function detailOf({ outcome, caseId, reason }: SummaryProduct): string {
  if (outcome === 'inserted') return caseId === null ? '' : `case ${caseId}`;
  return reason ?? '';
}

/** The first warnings, and the number of further ones. */
export function warningsOf({ warnings }: SummaryProduct): string[] {
  const more = warnings.length - WARNINGS_SHOWN;
  return more > 0 ? [...warnings.slice(0, WARNINGS_SHOWN), `… and ${count(more, 'more warning')}`] : warnings;
}
