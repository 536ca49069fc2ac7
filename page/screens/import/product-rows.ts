/** The product files of one import with their outcomes, failures first. */
import { plainReason, reasonText } from '../../../src/contract/reasons.ts';
import type { ImportReport, Reason, Submission } from '../../../src/contract/types.ts';
import { type Mark, statusOf } from '../../ui/badge.tsx';

/** In the order of the table. The status and the queue result of a submission decide. */
export const OUTCOMES = {
  refused: { label: 'Refused', tone: 'bad' },
  failed: statusOf('regulator_insert_failed'),
  not_queued: { label: 'Not queued', tone: 'warn' },
  inserting: statusOf('regulator_inserting'),
  waiting: { label: 'Waiting', tone: 'idle' },
  inserted: statusOf('regulator_inserted'),
  skipped: { label: 'Skipped', tone: 'idle' },
} as const satisfies Record<string, Mark>;

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

export function rowsOf({ submissions, queue, zip_import }: ImportReport): ProductRow[] {
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
