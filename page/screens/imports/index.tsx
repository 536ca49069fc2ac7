/** The list of imports, newest first. */
import { useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { searchOf } from '../../ui/format.ts';
import { PagedTable } from '../../ui/paged-table.tsx';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { columnsOf } from './columns.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filtersOf, isFiltered, queryOf } from './filters.ts';
import { FirstSteps } from './first-steps.tsx';
import { useImports } from './use-imports.ts';

const ROW_HEIGHT = 56;

export default function ImportsScreen() {
  const { route, query } = useLocation();
  const filters = filtersOf(query);
  const { counts, pages, failing } = useImports(queryOf(filters));
  const columns = useMemo(() => columnsOf(failing), [[...failing].join()]);
  const frame = useRef<HTMLDivElement>(null);
  const toTable = () => frame.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]')?.focus();
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
        counts={counts}
        onChange={(changed) => route(to(searchOf(changed)), true)}
        onLeave={toTable}
      />
      <div ref={frame}>
        <PagedTable
          pages={pages}
          row="import"
          label="Imports"
          columns={columns}
          onOpen={({ id }) => route(to(`imports/${id}`))}
          rowHeight={ROW_HEIGHT}
          empty={isFiltered(filters) ? <NoMatch /> : <FirstSteps />}
        />
      </div>
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
