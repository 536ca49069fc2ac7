/** A table of a list in pages. The last rows in sight load the next page; new rows stay hidden while somebody reads. */
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { countOf } from './format.ts';
import { HeldList, useHeldTop, useReading } from './held.tsx';
import { ErrorState, Loading, StaleNotice } from './states.tsx';
import type { Pages } from './use-pages.ts';
import { type Column, VirtualTable } from './virtual-table.tsx';

interface PagedTableProps<R extends { id: number }> {
  pages: Pages<R>;
  /** A row in the singular: `import`. */
  row: string;
  label: string;
  columns: readonly Column<R>[];
  onOpen(row: R): void;
  /** Pixels. */
  rowHeight: number;
  /** Shown in place of a list without rows. */
  empty: ComponentChildren;
}

export function PagedTable<R extends { id: number }>(props: PagedTableProps<R>) {
  const { pages, row, label, columns, onOpen, rowHeight, empty } = props;
  const { newest, list, isStale, hasMore } = pages;
  const { isReading, listeners } = useReading();
  const { rows, hidden, release } = useHeldTop(list?.rows ?? [], isReading, pages.of);
  if (newest.error !== null && newest.data === undefined)
    return <ErrorState error={newest.error} onRetry={newest.refresh} />;
  if (list === undefined || (rows.length === 0 && hasMore)) return <Loading />;
  return (
    <>
      <StaleNotice polled={newest} />
      {rows.length === 0 ? (
        empty
      ) : (
        <div aria-busy={isStale} class={isStale ? 'is-stale' : ''}>
          <HeldList
            news={hidden > 0 ? `Show ${countOf(hidden, `new ${row}`)}` : null}
            onShow={release}
            listeners={listeners}
          >
            <VirtualTable
              label={label}
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={onOpen}
              onEnd={pages.loadMore}
              rowHeight={rowHeight}
            />
          </HeldList>
        </div>
      )}
      <PagesEnd pages={pages} row={row} />
    </>
  );
}

/** Shown below a list: the number of its rows, and whether it continues. @param row in the singular */
export function PagesEnd({ pages, row }: { pages: Pages<{ id: number }>; row: string }) {
  const { list, hasMore, loading, error, loadMore } = pages;
  if (error !== null)
    return (
      <p class="list-end muted" role="alert">
        Older {row}s could not be loaded: {error.message}
        <Button kind="quiet" onClick={loadMore}>
          Try again
        </Button>
      </p>
    );
  if (list === undefined || list.rows.length === 0) return null;
  const more = loading ? ', loading more …' : ', scroll for more';
  return (
    <p class="list-end muted number" role="status">
      {countOf(list.rows.length, row)}
      {hasMore && more}
    </p>
  );
}
