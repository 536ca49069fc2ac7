/** The columns of a product file. */
import type { ApiError } from '../../api/api-error.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatNumber } from '../../ui/format.ts';
import { RetryButton } from '../../ui/retry-button.tsx';
import { StepStrip } from '../../ui/steps.tsx';
import { RunLink, runUrl } from '../../ui/temporal.tsx';
import { Time } from '../../ui/time.tsx';
import type { Column } from '../../ui/virtual-table.tsx';
import css from './import.module.css';
import { reasonsOfFile, reasonsOfSubmission } from './reasons.ts';
import { OUTCOMES, type ProductRow } from './rows.ts';

/** @param onRetried after each retry of a product; null when it is queued */
export function productColumns(onRetried: (error: ApiError | null) => void): Column<ProductRow>[] {
  return [
    {
      name: 'product',
      title: 'Product',
      width: 'minmax(10rem, 1.5fr)',
      narrow: 'minmax(6rem, 1fr)',
      cell: ({ name, submission }) => (
        <span class="two-lines">
          <span class="mono" title={name}>
            {name}
          </span>
          <span class="muted" title={submission?.regulator_data.product_type}>
            {submission?.regulator_data.product_type ?? 'Product file'}
          </span>
        </span>
      ),
    },
    {
      name: 'outcome',
      title: 'Outcome',
      width: '8rem',
      narrow: '7rem',
      cell: ({ outcome, submission }) => (
        <span class={css.outcome}>
          <Badge tone={OUTCOMES[outcome].tone}>{OUTCOMES[outcome].label}</Badge>
          {submission && <StepStrip of={submission} />}
        </span>
      ),
    },
    {
      name: 'why',
      title: 'Reason',
      width: 'minmax(12rem, 4fr)',
      narrow: null,
      cell: (row) => <Reason of={row} />,
    },
    {
      name: 'warnings',
      title: 'Warnings',
      width: '6rem',
      narrow: null,
      cell: ({ warnings }) =>
        warnings.length > 0 && (
          <span title={warnings.join('\n')}>
            <Badge tone="warn">{formatNumber(warnings.length)}</Badge>
          </span>
        ),
    },
    {
      name: 'changed',
      title: 'Changed',
      width: '10rem',
      narrow: null,
      cell: ({ submission }) => submission && <Time value={submission.updated_at} />,
    },
    {
      name: 'do',
      title: <span class="hidden-text">Run and retry</span>,
      width: '9.5rem',
      narrow: null,
      align: 'end',
      cell: ({ submission }) => {
        if (submission === null) return null;
        const run = runUrl(submission);
        return (
          <span class={css.rowActions}>
            {run !== null && <RunLink href={run}>Run</RunLink>}
            <RetryButton of={submission} onRetried={onRetried} />
          </span>
        );
      },
    },
  ];
}

function Reason({ of: { outcome, reason, submission } }: { of: ProductRow }) {
  if (reason === null) {
    const caseId = submission?.case_id;
    return caseId ? (
      <span class="muted">
        Case <span class="mono">{caseId}</span>
      </span>
    ) : null;
  }
  const reasons = outcome === 'refused' ? reasonsOfFile(reason) : reasonsOfSubmission(reason);
  const [first] = reasons;
  const more = reasons.length > 1 ? ` … and ${reasons.length - 1} more` : '';
  const line = first?.line ? ` (line ${first.line})` : '';
  return (
    <span class="two-lines" title={reason}>
      <span>
        {first?.text}
        {line}
        {more}
      </span>
      {first?.path && <span class="muted mono">{first.path}</span>}
    </span>
  );
}
