/** The columns of an import. */
import type { ImportSummary } from '../../../src/contract/types.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { Badge, StatusBadge } from '../../ui/badge.tsx';
import { Duration, formatNumber, Time } from '../../ui/format.tsx';
import { ImportProgress, totalOf } from '../../ui/progress.tsx';
import type { Column } from '../../ui/virtual-table.tsx';

export function columnsOf(): Column<ImportSummary>[] {
  const columns: (Column<ImportSummary> | false)[] = [
    {
      title: 'Import',
      width: '4.5rem',
      narrow: '3.5rem',
      cell: ({ id }) => <a href={to(`imports/${id}`)}>{id}</a>,
    },
    {
      title: 'Status',
      width: '8rem',
      narrow: '8rem',
      cell: (one) => (
        <span class="status-cell">
          <StatusBadge status={one.status} />
          <ImportProgress of={one} />
        </span>
      ),
    },
    {
      title: 'Package',
      width: 'minmax(10rem, 3fr)',
      narrow: 'minmax(5rem, 1fr)',
      cell: (one) => <PackageCell of={one} />,
    },
    // Only operators see imports of other clients.
    can('getAuditEvents') && {
      title: 'Client',
      width: 'minmax(6rem, 1fr)',
      cell: ({ client_id }) => <span title={client_id}>{client_id}</span>,
    },
    {
      title: 'Products',
      width: 'minmax(9rem, 2fr)',
      cell: (one) => <ImportProgress of={one} />,
    },
    {
      title: 'Notes',
      width: '9rem',
      cell: (one) => <Mark of={one} />,
    },
    {
      title: 'Uploaded',
      width: '11rem',
      cell: ({ zip_file }) => <Time value={zip_file.uploaded_at} />,
    },
    {
      title: 'Duration',
      width: '6rem',
      // Aligned at the start: a text that changes its width does not move.
      cell: ({ zip_file, completed_at }) => <Duration from={zip_file.uploaded_at} to={completed_at} />,
    },
  ];
  return columns.filter((column) => column !== false);
}

function PackageCell({ of: { file_name, comment } }: { of: ImportSummary }) {
  return (
    <span class="two-lines">
      <span title={file_name}>{file_name}</span>
      {comment !== null && (
        <span class="muted small" title={comment}>
          {comment}
        </span>
      )}
    </span>
  );
}

/** The most severe note only: all rows have one height. */
function Mark({ of }: { of: ImportSummary }) {
  const { progress, warned, refused, failure_reason, cancellation, status } = of;
  const failed = progress.regulator_insert_failed;
  if (failure_reason !== null)
    return (
      <span title={failure_reason}>
        <Badge tone="bad">Unreadable</Badge>
      </span>
    );
  if (failed > 0) return <Badge tone="bad">{formatNumber(failed)} failed</Badge>;
  if (refused > 0) return <Badge tone="bad">{formatNumber(refused)} refused</Badge>;
  if (status === 'completed' && totalOf(progress) === 0)
    return (
      <span title="The package has no products, or all of them were skipped.">
        <Badge tone="idle">None imported</Badge>
      </span>
    );
  if (cancellation !== null && status !== 'cancelled') return <Badge tone="idle">Cancelling</Badge>;
  if (progress.local > 0 && status !== 'extracting')
    return <Badge tone="warn">{formatNumber(progress.local)} not sent</Badge>;
  if (warned > 0) return <Badge tone="warn">{formatNumber(warned)} with warnings</Badge>;
  return null;
}
