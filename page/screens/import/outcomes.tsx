/** Outcomes of the files of an import: their marks, their chips, and the columns of their list. */
import { reasonsText, reasonText } from '../../../src/contract/reasons.ts';
import { OUTCOMES, type Outcome } from '../../../src/contract/statuses.ts';
import type { ImportOutcome, OutcomeCounts, Submission } from '../../../src/contract/types.ts';
import { RetryButton } from '../../ui/actions.tsx';
import { Badge, type Chip, type Mark, statusOf } from '../../ui/badge.tsx';
import { RunLink, runUrl } from '../../ui/button.tsx';
import { formatNumber, Time } from '../../ui/format.tsx';
import { StepStrip } from '../../ui/progress.tsx';
import type { Column } from '../../ui/virtual-table.tsx';

export const MARKS: Readonly<Record<Outcome, Mark>> = {
  refused: { label: 'Refused', tone: 'bad' },
  failed: statusOf('regulator_insert_failed'),
  not_queued: { label: 'Not queued', tone: 'warn' },
  inserting: statusOf('regulator_inserting'),
  waiting: { label: 'Waiting', tone: 'idle' },
  inserted: statusOf('regulator_inserted'),
  skipped: { label: 'Skipped', tone: 'idle' },
  unreadable: { label: 'Not read', tone: 'warn' },
};

/** The filters of the list. */
export type Show = Outcome | 'all' | 'warned';

const SHOWS: readonly string[] = ['warned', ...OUTCOMES];

export const isShow = (name: string): name is Show => SHOWS.includes(name);

/** @param counts null before the first answer */
export function chipsOf(counts: OutcomeCounts | null): Chip<Show>[] {
  const byOutcome = counts?.by_outcome;
  return [
    { name: 'all', label: 'All', count: byOutcome && totalOf(byOutcome) },
    ...OUTCOMES.map((name) => ({ name, ...MARKS[name], count: byOutcome?.[name] })),
    { name: 'warned', label: 'With warnings', tone: 'warn', count: counts?.warned },
  ];
}

export function totalOf(byOutcome: OutcomeCounts['by_outcome']): number {
  return Object.values(byOutcome).reduce((sum, count) => sum + count, 0);
}

/** The same after every change of the outcome; the address of the page contains it. */
export const keyOf = ({ id, submission }: ImportOutcome): string => String(submission?.id ?? id);

/** The product ID, or the file where there is no submission. */
export const nameOf = ({ submission, xml_file }: ImportOutcome): string => submission?.product_id ?? xml_file;

/**
 * The rows without earlier states. A product whose outcome changes is listed twice until both of its pages have been
 * loaded again.
 */
export function latestOf(rows: readonly ImportOutcome[]): ImportOutcome[] {
  const latest = new Map<string, ImportOutcome>();
  for (const row of rows) {
    const known = latest.get(keyOf(row))?.submission;
    if (!known || (row.submission && row.submission.updated_at > known.updated_at))
      latest.set(keyOf(row), row);
  }
  return rows.filter((row) => latest.get(keyOf(row)) === row);
}

const OF_STATUS = {
  local: 'waiting',
  regulator_inserting: 'inserting',
  regulator_inserted: 'inserted',
  regulator_insert_failed: 'failed',
} as const satisfies Record<Submission['status'], Outcome>;

/** The row of a submission that the list does not show. */
export function rowOf(submission: Submission): ImportOutcome {
  const { product_id, xml_file, reasons, status } = submission;
  return { id: '', outcome: OF_STATUS[status], xml_file, product_id, submission, reasons };
}

export const COLUMNS: readonly Column<ImportOutcome>[] = [
  {
    title: 'Product',
    width: 'minmax(10rem, 1.5fr)',
    narrow: 'minmax(6rem, 1fr)',
    cell: (row) => (
      <span class="two-lines">
        <span class="mono" title={nameOf(row)}>
          {nameOf(row)}
        </span>
        <span class="muted small" title={kindOf(row)}>
          {kindOf(row)}
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
        <Badge {...MARKS[outcome]} />
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
    cell: ({ submission }) =>
      submission &&
      submission.warnings.length > 0 && (
        <span title={submission.warnings.map(reasonText).join('\n')}>
          <Badge tone="warn" label={formatNumber(submission.warnings.length)} />
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

function kindOf({ outcome, submission, product_id }: ImportOutcome): string {
  if (submission) return submission.regulator_data.product_type;
  return outcome === 'unreadable' ? 'Other file' : (product_id ?? 'Product file');
}

function ReasonCell({ of: { reasons, submission } }: { of: ImportOutcome }) {
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
