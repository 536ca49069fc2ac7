/** The list of imports, newest first. */
import { useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ImportPage, ImportSummary } from '../../../src/contract/types.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { searchOf } from '../../ui/format.tsx';
import { PagedTable } from '../../ui/paged-table.tsx';
import { EmptyState, Screen } from '../../ui/states.tsx';
import { usePages } from '../../ui/use-pages.ts';
import { columnsOf } from './columns.tsx';
import { FilterBar, filtersOf, isFiltered, queryOf } from './filter-bar.tsx';
import { FirstSteps } from './first-steps.tsx';

const ROW_HEIGHT = 56;
const PAGE = 100;

export default function ImportsScreen() {
  const { route, query } = useLocation();
  const filters = filtersOf(query);
  const request = { query: { ...queryOf(filters), limit: PAGE } };
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
