/** The data of one import: its product files with their outcomes, failures first, and the polls of its parts. */
import { plainReason, reasonText } from '../../../src/contract/reasons.ts';
import type {
  Reason,
  ImportReport as Report,
  ImportRetry as Retry,
  Submission,
  ImportSummary as Summary,
} from '../../../src/contract/types.ts';
import type { Loaded } from '../../api/use-loaded.ts';
import { usePolled } from '../../api/use-polled.ts';
import { statusOf, type Tone } from '../../ui/badge.tsx';
import { totalOf } from '../../ui/progress.tsx';

/** In the order of the table. The status and the queue result of a submission decide. */
export const OUTCOMES = {
  refused: { label: 'Refused', tone: 'bad' },
  failed: statusOf('regulator_insert_failed'),
  not_queued: { label: 'Not queued', tone: 'warn' },
  inserting: statusOf('regulator_inserting'),
  waiting: { label: 'Waiting', tone: 'idle' },
  inserted: statusOf('regulator_inserted'),
  skipped: { label: 'Skipped', tone: 'idle' },
} as const satisfies Record<string, { label: string; tone: Tone }>;

export type Outcome = keyof typeof OUTCOMES;

export const OUTCOME_NAMES = Object.keys(OUTCOMES) as Outcome[];

export interface ProductRow {
  /** The same after every update; the address of the page contains it. */
  key: string;
  outcome: Outcome;
  /** The product ID, or the file when the ID is unknown. */
  name: string;
  /** Null for a file that became no submission. */
  submission: Submission | null;
  /** Why it is not with the regulator. */
  reasons: readonly Reason[];
  warnings: readonly Reason[];
}

export function rowsOf({ submissions, queue, zip_import }: Report): ProductRow[] {
  const refusals = new Map(
    queue.results.filter(({ ok }) => !ok).map((result) => [result.submission_id, result.message]),
  );
  const rows: ProductRow[] = [
    ...zip_import.failed.map(({ xml_file, reasons }, index) => fileRow('refused', index, xml_file, reasons)),
    ...submissions.map((submission) => submissionRow(submission, refusals.get(submission.id) ?? null)),
    ...zip_import.skipped.map(({ xml_file, reason }, index) =>
      fileRow('skipped', index, xml_file, [plainReason(reason)]),
    ),
  ];
  const rank = ({ outcome }: ProductRow) => OUTCOME_NAMES.indexOf(outcome);
  return rows.sort((a, b) => rank(a) - rank(b));
}

function fileRow(outcome: 'refused' | 'skipped', index: number, name: string, reasons: Reason[]): ProductRow {
  // Files in different folders may have the same name.
  return { key: `${outcome}-${index}`, outcome, name, submission: null, reasons, warnings: [] };
}

function submissionRow(submission: Submission, refusal: string | null): ProductRow {
  const outcome = outcomeOf(submission, refusal);
  return {
    key: `${submission.id}`,
    outcome,
    name: submission.product_id,
    submission,
    warnings: submission.warnings,
    reasons: outcome === 'not_queued' && refusal !== null ? [plainReason(refusal)] : submission.reasons,
  };
}

function outcomeOf({ status }: Submission, refusal: string | null): Outcome {
  if (status === 'regulator_insert_failed') return 'failed';
  if (status === 'regulator_inserting') return 'inserting';
  if (status === 'regulator_inserted') return 'inserted';
  return refusal === null ? 'waiting' : 'not_queued';
}

/** The filters of the table. */
export type Show = Outcome | 'all' | 'warned';

/** @param text a part of the product ID, of the file name, of the case, or of the reason, in any case */
export function shownOf(rows: readonly ProductRow[], show: Show, text: string): ProductRow[] {
  const wanted = text.toLowerCase();
  const isFound = ({ name, submission, reasons }: ProductRow) =>
    wanted === '' ||
    [name, submission?.case_id, ...reasons.map(reasonText)].some((one) =>
      one?.toLowerCase().includes(wanted),
    );
  const isShown = ({ outcome, warnings }: ProductRow) =>
    show === 'all' || (show === 'warned' ? warnings.length > 0 : outcome === show);
  return rows.filter((row) => isShown(row) && isFound(row));
}

export type { Report, Retry, Submission, Summary };

const REFUSALS_SHOWN = 200;

export type WatchedImport = ReturnType<typeof useImport>;

/** @param hasRetried whether this page retried the import: the API answers 404 for an import without a retry */
export function useImport(id: number, hasRetried: boolean) {
  const params = { id };
  const summary = usePolled('getPackageImport', { params, query: { view: 'summary' } }) as Loaded<Summary>;
  const isThere = summary.data !== undefined;
  const report = usePolled(
    'getPackageImport',
    { params },
    { everyMs: pauseFor(summary.data) },
  ) as Loaded<Report>;
  const retry = usePolled(
    'getImportRetry',
    { params, query: { limit: REFUSALS_SHOWN } },
    { enabled: isThere && hasRetried },
  );
  return { summary, report, retry };
}

/** Milliseconds. A report of 10,000 products has megabytes, and changes with each product. */
function pauseFor(summary: Summary | undefined): number {
  const products = summary ? totalOf(summary.progress) : 0;
  if (products <= 500) return 2_000;
  return products <= 3_000 ? 6_000 : 20_000;
}
