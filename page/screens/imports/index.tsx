/** The list of imports, newest first. */
import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ImportPage, ImportSummary } from '../../../src/contract/types.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { Badge, type Mark, statusOf } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Duration, formatNumber, searchOf, Time } from '../../ui/format.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { ImportProgress, totalOf } from '../../ui/progress.tsx';
import { EmptyState, Screen } from '../../ui/states.tsx';
import { usePages } from '../../ui/use-pages.ts';
import type { Column } from '../../ui/virtual-table.tsx';
import { FilterBar, filtersOf, isFiltered, queryOf } from './filter-bar.tsx';
import { FirstSteps } from './first-steps.tsx';

const ROW_HEIGHT = 56;
const IMPORTS_PAGE = 100;

export default function ImportsScreen() {
  const { route, query } = useLocation();
  const filters = filtersOf(query);
  const request = { query: { ...queryOf(filters), limit: IMPORTS_PAGE } };
  const pages = usePages('getPackageImports', request, { rowsOf, isOlder, mayChange: isRunning });
  const { data } = pages.newest;
  const counts = useRef<ImportPage['counts']>(null);
  if (data !== undefined) counts.current = data.counts;
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
      <FilterBar
        filters={filters}
        counts={counts.current}
        onChange={(changed) => route(to(searchOf(changed)), true)}
      />
      <PagedTable
        pages={pages}
        row="import"
        label="Imports"
        columns={columnsOf()}
        onOpen={({ id }) => route(to(`imports/${id}`))}
        rowHeight={ROW_HEIGHT}
        empty={isFiltered(filters) ? <NoMatch /> : <FirstSteps />}
      />
    </Screen>
  );
}

function NoMatch() {
  return (
    <EmptyState title="No import matches these filters">
      <p>Remove a filter, or search for a shorter text.</p>
    </EmptyState>
  );
}

const rowsOf = ({ imports }: ImportPage) => imports;

const isRunning = ({ completed_at }: ImportSummary): boolean => completed_at === null;

/** By upload time: of two concurrent uploads the later one may have the smaller id. */
export function isOlder(one: ImportSummary, than: ImportSummary): boolean {
  const [a, b] = [one.zip_file.uploaded_at, than.zip_file.uploaded_at];
  return a < b || (a === b && one.id < than.id);
}

function columnsOf(): Column<ImportSummary>[] {
  const columns: (Column<ImportSummary> | false)[] = [
    {
      title: 'Import',
      width: '4.5rem',
      narrow: '3.5rem',
      cell: ({ id }) => <a href={to(`imports/${id}`)}>{id}</a>,
    },
    {
      title: 'Status',
      width: '9rem',
      narrow: '9rem',
      cell: (one) => <StatusCell of={one} />,
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

/** A narrow table has no room for progress beside a note. */
function StatusCell({ of }: { of: ImportSummary }) {
  const note = noteOf(of);
  return (
    <span class="status-cell" title={note?.title}>
      <Badge {...statusOf(of.status)} />
      {note === null ? <ImportProgress of={of} /> : <Badge {...note} />}
    </span>
  );
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

interface Note extends Mark {
  title?: string;
}

/** The most severe note only: all rows have one height. */
function noteOf(one: ImportSummary): Note | null {
  const { progress, warned, refused, failure_reason, failure_code, cancellation, status } = one;
  const failed = progress.regulator_insert_failed;
  if (failure_reason !== null) {
    const label = failure_code === 'invalid_package' ? 'Unreadable' : 'Not imported';
    return { tone: 'bad', label, title: failure_reason };
  }
  if (failed > 0) return { tone: 'bad', label: `${formatNumber(failed)} failed` };
  if (refused > 0) return { tone: 'bad', label: `${formatNumber(refused)} refused` };
  if (status === 'completed' && totalOf(progress) === 0)
    return {
      tone: 'idle',
      label: 'None imported',
      title: 'The package has no products, or all of them were skipped.',
    };
  if (cancellation !== null && status !== 'cancelled') return { tone: 'idle', label: 'Cancelling' };
  if (progress.local > 0 && status !== 'extracting')
    return { tone: 'warn', label: `${formatNumber(progress.local)} not queued` };
  if (warned > 0) return { tone: 'warn', label: `${formatNumber(warned)} with warnings` };
  return null;
}
