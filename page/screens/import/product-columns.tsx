/** The columns of a product file. */
import { reasonsText, reasonText } from '../../../src/contract/reasons.ts';
import { RetryButton } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { RunLink, runUrl } from '../../ui/button.tsx';
import { formatNumber, Time } from '../../ui/format.tsx';
import { StepStrip } from '../../ui/progress.tsx';
import type { Column } from '../../ui/virtual-table.tsx';
import { OUTCOMES, type ProductRow } from './product-rows.ts';

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
    cell: (row) => <Reason of={row} />,
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

function Reason({ of: { reasons, submission } }: { of: ProductRow }) {
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
