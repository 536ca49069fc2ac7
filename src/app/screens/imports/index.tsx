/** The imports, newest first, as they go on. */
import { useLocation } from 'preact-iso';
import type { components } from '../../api/generated/api.d.ts';
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { ProgressBar, type Segment } from '../../ui/progress-bar.tsx';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState, PolledContent } from '../../ui/states.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import { type Column, VirtualTable } from '../../ui/virtual-table.tsx';

type Import = components['schemas']['ImportSummary'];

const COLUMNS: readonly Column<Import>[] = [
  {
    name: 'id',
    title: 'Import',
    width: '5rem',
    narrow: '3.5rem',
    cell: ({ id }) => <a href={to(`imports/${id}`)}>{id}</a>,
  },
  { name: 'status', title: 'Status', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    name: 'file',
    title: 'Package',
    width: 'minmax(10rem, 2fr)',
    narrow: null,
    cell: ({ file_name }) => <span title={file_name}>{file_name}</span>,
  },
  {
    name: 'progress',
    title: 'Products',
    width: 'minmax(9rem, 2fr)',
    narrow: 'minmax(5rem, 1fr)',
    cell: (one) => <Progress of={one} />,
  },
  {
    name: 'uploaded',
    title: 'Uploaded',
    width: '12rem',
    narrow: null,
    cell: ({ zip_file }) => <Time value={zip_file.uploaded_at} />,
  },
  {
    name: 'took',
    title: 'Took',
    width: '6rem',
    narrow: null,
    align: 'end',
    cell: ({ zip_file, completed_at }) => <Duration from={zip_file.uploaded_at} to={completed_at} />,
  },
];

export default function ImportsScreen() {
  const { route } = useLocation();
  const polled = usePolled('/regulator/package-imports', { query: { limit: 50 } });
  return (
    <Screen
      title="Imports"
      actions={
        can('postPackageImport') && (
          <ButtonLink kind="primary" href={to('upload')}>
            Upload a package
          </ButtonLink>
        )
      }
    >
      <PolledContent polled={polled}>
        {({ imports }) =>
          imports.length === 0 ? (
            <EmptyState title="There are no imports yet">
              <p>An import begins with a package that is uploaded, here or by a client of the API.</p>
            </EmptyState>
          ) : (
            <VirtualTable
              label="Imports"
              columns={COLUMNS}
              rows={imports}
              keyOf={({ id }) => id}
              onOpen={({ id }) => route(to(`imports/${id}`))}
            />
          )
        }
      </PolledContent>
    </Screen>
  );
}

function Progress({ of: { progress } }: { of: Import }) {
  const segments: Segment[] = [
    { tone: 'good', value: progress.regulator_inserted, label: 'inserted' },
    { tone: 'bad', value: progress.regulator_insert_failed, label: 'failed' },
    { tone: 'busy', value: progress.regulator_inserting, label: 'being inserted' },
  ];
  const total = progress.local + segments.reduce((sum, { value }) => sum + value, 0);
  return (
    <span class="import-progress">
      <ProgressBar label="Products" segments={segments} total={total} />
      <span class="number muted">{formatNumber(total)}</span>
    </span>
  );
}
