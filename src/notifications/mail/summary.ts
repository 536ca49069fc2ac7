/** The summary e-mail (interface §6): failures first, with the actions that resolve them. Pure: data in, mail out. */
import { count } from '../../common/text.ts';
import type { MailAttachment, MailContent } from './mailer.ts';
import { type Command, type SummaryContent, summaryHtml, summaryText } from './summary-body.ts';
import {
  MAILED_PRODUCT_OUTCOMES,
  type MailedOutcome,
  type Shortened,
  type SummaryRow,
  shortened,
} from './summary-rows.ts';
import { commentLine, type Link, nameLine, remarkLine } from './texts.ts';

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

/** The mail stays below 1 MB for any number of products. */
export function renderSummary(
  summary: Summary,
  links: readonly Link[] = [],
): MailContent & { attachments: MailAttachment[] } {
  const { importId, rows, counts } = summary;
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const short = shortened(importId, rows, all);
  const content = contentOf(summary, short, links);
  return {
    subject: content.subject,
    text: summaryText(content),
    html: summaryHtml(content),
    attachments: short.table ? [short.table] : [],
  };
}

/** The parts of the mail, for text and HTML alike, in order of importance. */
function contentOf(summary: Summary, { shown, leftOut }: Shortened, links: readonly Link[]): SummaryContent {
  const { importId, fileName, comment, uploadedAt, remark, counts } = summary;
  const headline = headlineOf(summary);
  const hasProduct = MAILED_PRODUCT_OUTCOMES.some((outcome) => counts[outcome] > 0);
  return {
    subject: `Package import ${importId}: ${headline}`,
    title: `Package import ${importId} has finished`,
    headline,
    facts: [
      ['Package', nameLine(fileName)],
      ['Uploaded', `${uploadedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
      ['Import', String(importId)],
      ...(comment === null ? [] : [['Comment', commentLine(comment)] as const]),
      ...(remark === null ? [] : [['Note', remarkLine(remark)] as const]),
    ],
    links,
    commands: commandsFor(summary),
    notes: [
      ...(leftOut === null ? [] : [leftOut]),
      ...(hasProduct ? [] : ['No product was created from this package.']),
    ],
    sections: Object.entries(TITLES)
      .map(([outcome, title]) => ({ title, rows: shown.filter((row) => row.outcome === outcome) }))
      .filter(({ rows }) => rows.length > 0),
  };
}

/** One line with the counts: the subject's tail and the mail's first sentence. */
function headlineOf({ couldNotBeRead, counts }: Summary): string {
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

/** Commands that resolve failures (docs/command-line.md). */
function commandsFor({ importId, counts }: Summary): Command[] {
  /** Products that may be run again unchanged. */
  const toRetry = counts.failed + counts['not queued'];
  /** A repair pack holds refused files, and files of products that were not inserted. */
  const toRepair = toRetry + counts.refused + counts.unfinished;
  const retry = {
    command: `package-import retry ${importId}`,
    what: 'retry the products that failed or were not queued',
  };
  const repair = {
    command: `package-import repair-pack ${importId}`,
    what: 'download the files that failed, to correct and upload them',
  };
  return [...(toRetry > 0 ? [retry] : []), ...(toRepair > 0 ? [repair] : [])];
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
