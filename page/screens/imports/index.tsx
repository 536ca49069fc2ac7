/** The list of imports, newest first. */
import { useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { countOf } from '../../ui/format.ts';
import { HeldList, useHeldTop, useReading } from '../../ui/held.tsx';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState, ErrorState, Loading, PagesEnd, StaleNotice } from '../../ui/states.tsx';
import { VirtualTable } from '../../ui/virtual-table.tsx';
import { columnsOf } from './columns.tsx';
import { FilterBar } from './filter-bar.tsx';
import { addressOf, type Filters, filtersOf, queryOf } from './filters.ts';
import css from './imports.module.css';
import { useImports } from './use-imports.ts';

const ROW_HEIGHT = 56;

export default function ImportsScreen() {
  const { route, query } = useLocation();
  const filters = filtersOf(query);
  const frame = useRef<HTMLDivElement>(null);
  const listed = useImports(queryOf(filters));
  const { first, counts, pages } = listed;
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
        onChange={(changed) => route(to(addressOf(changed)), true)}
        onLeave={toTable}
      />
      <StaleNotice polled={first} />
      <div ref={frame} aria-busy={pages.isStale} class={pages.isStale ? css.isLoading : undefined}>
        <Content listed={listed} filters={filters} />
      </div>
      <PagesEnd pages={pages} row="import" />
    </Screen>
  );
}

function Content({ listed, filters }: { listed: ReturnType<typeof useImports>; filters: Filters }) {
  const { route } = useLocation();
  const { first, pages, failing } = listed;
  const { isReading, listeners } = useReading();
  const isFiltered = addressOf(filters) !== '';
  const { rows, hidden, release } = useHeldTop(pages.list?.rows ?? [], isReading, addressOf(filters));
  const columns = useMemo(() => columnsOf(failing), [[...failing].join()]);
  if (first.error !== null && first.data === undefined)
    return <ErrorState error={first.error} onRetry={first.refresh} />;
  if (pages.list === undefined || (rows.length === 0 && pages.hasMore)) return <Loading />;
  if (rows.length === 0)
    return isFiltered ? (
      <EmptyState title="No import matches these filters">
        <p>Remove a filter, or search for a shorter text.</p>
      </EmptyState>
    ) : (
      <EmptyState title="There are no imports yet">
        <p>Upload a package here, or with a client of the API.</p>
      </EmptyState>
    );
  return (
    <HeldList
      news={hidden > 0 ? `Show ${countOf(hidden, 'new import')}` : null}
      onShow={release}
      listeners={listeners}
    >
      <VirtualTable
        label="Imports"
        columns={columns}
        rows={rows}
        keyOf={({ id }) => id}
        onOpen={({ id }) => route(to(`imports/${id}`))}
        onEnd={pages.loadMore}
        rowHeight={ROW_HEIGHT}
      />
    </HeldList>
  );
}
