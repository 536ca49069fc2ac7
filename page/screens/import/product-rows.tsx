/** The product files of one import with their outcomes, failures first, and the columns of their table. */
import { plainReason, reasonsText, reasonText } from '../../../src/contract/reasons.ts';
import type { ImportReport, Reason, Submission } from '../../../src/contract/types.ts';
import { RetryButton } from '../../ui/actions.tsx';
import { Badge, type Mark, statusOf } from '../../ui/badge.tsx';
import { RunLink, runUrl } from '../../ui/button.tsx';
import { formatNumber, Time } from '../../ui/format.tsx';
import { StepStrip } from '../../ui/progress.tsx';
import type { Column } from '../../ui/virtual-table.tsx';

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

export const PRODUCT_COLUMNS: readonly Column<ProductRow>[] = [
  {
    title: 'Product',
    width: 'minmax(10rem, 1.5fr)',
    narrow: 'minmax(6rem, 1fr)',
    cell: ({ name, submission }) => (
      <span class="two-lines">
        <span class="mono" title={name}>
          {name}
        </span>
        <span class="muted small" title={submission?.regulator_data.product_type}>
          {submission?.regulator_data.product_type ?? 'Product file'}
        </span>
      </span>
    ),
  },
  {
    title: 'Outcome',
    width: '8rem',
    narrow: '7rem',
    cell: ({ outcome, submission }) => (
      <span class="status-cell">
        <Badge {...OUTCOMES[outcome]} />
        {submission && <StepStrip of={submission} />}
      </span>
    ),
  },
  {
    title: 'Reason',
    width: 'minmax(12rem, 4fr)',
    cell: (row) => <ReasonCell of={row} />,
  },
  {
    title: 'Warnings',
    width: '6rem',
    cell: ({ warnings }) =>
      warnings.length > 0 && (
        <span title={warnings.map(reasonText).join('\n')}>
          <Badge tone="warn" label={formatNumber(warnings.length)} />
        </span>
      ),
  },
  {
    title: 'Updated',
    width: '10rem',
    cell: ({ submission }) => submission && <Time value={submission.updated_at} />,
  },
  {
    title: <span class="hidden-text">Retry and run</span>,
    width: '9.5rem',
    align: 'end',
    cell: ({ submission }) => {
      if (submission === null) return null;
      const run = runUrl(submission);
      return (
        <span class="cluster end">
          <RetryButton of={submission} />
          {run !== null && <RunLink href={run}>Run</RunLink>}
        </span>
      );
    },
  },
];

function ReasonCell({ of: { reasons, submission } }: { of: ProductRow }) {
  const [first] = reasons;
  if (first === undefined) {
    const caseId = submission?.case_id;
    return caseId ? (
      <span class="muted">
        Case <span class="mono">{caseId}</span>
      </span>
    ) : null;
  }
  const more = reasons.length > 1 ? ` … and ${reasons.length - 1} more` : '';
  const line = first.line === null ? '' : ` (line ${first.line})`;
  return (
    <span class="two-lines" title={reasonsText(reasons)}>
      <span>
        {first.text}
        {line}
        {more}
      </span>
      {first.path !== null && <span class="muted mono small">{first.path}</span>}
    </span>
  );
}
