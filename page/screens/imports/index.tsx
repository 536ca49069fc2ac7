/** The imports, newest first, as they go on. */
import { useMemo, useReducer, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { useReading } from '../../ui/held.ts';
import { Screen } from '../../ui/screen.tsx';
import { EmptyState, ErrorState, Loading, StaleNotice } from '../../ui/states.tsx';
import { VirtualTable } from '../../ui/virtual-table.tsx';
import { columnsOf } from './columns.tsx';
import { FilterBar } from './filter-bar.tsx';
import { addressOf, type Filters, filtersOf, queryOf } from './filters.ts';
import css from './imports.module.css';
import type { Import } from './paging.ts';
import { useImports } from './use-imports.ts';

const ROW_HEIGHT = 56;

export default function ImportsScreen() {
  const { route, query } = useLocation();
  const filters = filtersOf(query);
  const frame = useRef<HTMLDivElement>(null);
  const listed = useImports(queryOf(filters));
  const { first, list, counts, isStale } = listed;
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
      <div ref={frame} aria-busy={isStale} class={isStale ? css.isLoading : undefined}>
        <Content listed={listed} filters={filters} />
      </div>
      {list !== undefined && <End listed={listed} />}
    </Screen>
  );
}

function Content({ listed, filters }: { listed: ReturnType<typeof useImports>; filters: Filters }) {
  const { route } = useLocation();
  const { first, list, hasMore, failing, loadMore } = listed;
  const { isReading, listeners } = useReading();
  const place = useRef<HTMLDivElement>(null);
  const { rows, hidden, release } = useHeldTop(list?.imports ?? [], isReading, addressOf(filters));
  const columns = useMemo(() => columnsOf(failing), [[...failing].join()]);

  const toTop = () => {
    release();
    place.current?.querySelector('.table')?.scrollTo({ top: 0 });
  };
  if (first.error !== null && first.data === undefined)
    return <ErrorState error={first.error} onRetry={first.refresh} />;
  if (list === undefined || (rows.length === 0 && hasMore)) return <Loading />;
  if (rows.length === 0) return <Nothing isFiltered={addressOf(filters) !== ''} />;
  return (
    <div class="list" ref={place}>
      <p class="news" role="status">
        {hidden > 0 && (
          <Button kind="quiet" onClick={toTop}>
            {formatNumber(hidden)} new above
          </Button>
        )}
      </p>
      <div {...listeners}>
        <VirtualTable
          label="Imports"
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          onOpen={({ id }) => route(to(`imports/${id}`))}
          onEnd={loadMore}
          rowHeight={ROW_HEIGHT}
        />
      </div>
    </div>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title="No import is like that">
      <p>Take a filter away, or look for less.</p>
    </EmptyState>
  ) : (
    <EmptyState title="There are no imports yet">
      <p>An import begins with a package that is uploaded, here or by a client of the API.</p>
    </EmptyState>
  );
}

function End({
  listed: { list, hasMore, loading, moreError, loadMore },
}: {
  listed: ReturnType<typeof useImports>;
}) {
  const shown = list?.imports.length ?? 0;
  if (moreError !== null)
    return (
      <p class={`${css.listEnd} muted`} role="alert">
        Older imports could not be loaded: {moreError.message}
        <Button kind="quiet" onClick={() => void loadMore()}>
          Try again
        </Button>
      </p>
    );
  if (shown === 0) return null;
  const rest = loading ? 'loading older ones …' : hasMore ? 'scroll for older ones' : 'all there are';
  return (
    <p class={`${css.listEnd} muted number`}>
      {formatNumber(shown)} shown, {rest}
    </p>
  );
}

/** New imports stand above what somebody reads only when they are asked for. */
function useHeldTop(imports: readonly Import[], isReading: boolean, of: string) {
  const held = useRef({ of, top: 0 });
  if (!isReading || held.current.of !== of || held.current.top === 0)
    held.current = { of, top: imports[0]?.id ?? 0 };
  const { top } = held.current;
  const [, draw] = useReducer((times: number, _: null) => times + 1, 0);
  const release = () => {
    held.current = { of, top: imports[0]?.id ?? 0 };
    draw(null);
  };
  const rows = useMemo(() => {
    const place = imports.findIndex(({ id }) => id === top);
    return place > 0 ? imports.slice(place) : imports;
  }, [imports, top]);
  return { rows, hidden: imports.length - rows.length, release };
}
