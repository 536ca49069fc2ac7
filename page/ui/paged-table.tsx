/** A table of a list in pages. The last rows in sight load the next page; new rows stay hidden while somebody reads. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { countOf } from './format.tsx';
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
  if (list === undefined || (rows.length === 0 && hasMore)) {
    if (pages.error === null) return <Loading />;
    return <ErrorState error={pages.error} onRetry={pages.loadMore} />;
  }
  return (
    <>
      <StaleNotice of={newest} />
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

interface HeldListProps {
  /** The changes that the button shows; null when there are none. */
  news: string | null;
  onShow(): void;
  listeners: ReturnType<typeof useReading>['listeners'];
  /** The table. */
  children: ComponentChildren;
}

export function HeldList({ news, onShow, listeners, children }: HeldListProps) {
  const place = useRef<HTMLDivElement>(null);
  const show = () => {
    onShow();
    place.current?.querySelector('.table')?.scrollTo({ top: 0 });
  };
  return (
    <div class="list" ref={place}>
      <p class="news" role="status">
        {news !== null && (
          <Button kind="quiet" onClick={show}>
            {news}
          </Button>
        )}
      </p>
      <div {...listeners}>{children}</div>
    </div>
  );
}

/**
 * The rows in their earlier order, new rows behind them.
 *
 * @param keys of the rows in their earlier order
 */
export function inOrderOf<T>(rows: readonly T[], keys: readonly string[], keyOf: (row: T) => string): T[] {
  const places = new Map(keys.map((key, place) => [key, place]));
  const placeOf = (row: T) => places.get(keyOf(row)) ?? keys.length;
  // The sort is stable: new rows keep their order.
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Whether somebody reads in the element with these listeners: it is scrolled, or it has the focus. */
export function useReading() {
  const [isScrolled, setScrolled] = useState(false);
  const [hasFocus, setFocus] = useState(false);
  return {
    isReading: isScrolled || hasFocus,
    listeners: {
      onScrollCapture: (event: Event) => setScrolled((event.target as HTMLElement).scrollTop > 0),
      onFocusIn: () => setFocus(true),
      onFocusOut: (event: FocusEvent) => {
        const to = event.relatedTarget as Node | null;
        if (!(event.currentTarget as HTMLElement).contains(to)) setFocus(false);
      },
    },
  };
}

/**
 * Holds the order of rows while somebody reads.
 *
 * @param rows in their new order
 * @param of the filter: another one releases the rows
 * @returns the rows to show, whether their new order differs, and how to show it
 */
export function useHeldOrder<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  { isReading, of }: { isReading: boolean; of: string },
) {
  const held = useRef<{ of: string; keys: readonly string[] } | null>(null);
  const [released, setReleased] = useState(0);
  return useMemo(() => {
    const keys = isReading && held.current?.of === of ? held.current.keys : [];
    const shown = inOrderOf(rows, keys, keyOf);
    held.current = { of, keys: shown.map(keyOf) };
    const isOther = shown.some((row, index) => row !== rows[index]);
    const release = () => {
      held.current = null;
      setReleased((times) => times + 1);
    };
    return { rows: shown, isOther, release };
  }, [rows, isReading, of, released]);
}

/** Holds the top of a list while somebody reads: new rows stay hidden above it. @param of the filter: another one releases the list */
export function useHeldTop<R extends { id: number }>(all: readonly R[], isReading: boolean, of: string) {
  const held = useRef({ of, top: 0 });
  if (!isReading || held.current.of !== of || held.current.top === 0)
    held.current = { of, top: all[0]?.id ?? 0 };
  const { top } = held.current;
  const [, setReleased] = useState(0);
  const release = () => {
    held.current.top = 0;
    setReleased((times) => times + 1);
  };
  const rows = useMemo(() => {
    const held = all.findIndex(({ id }) => id === top);
    // The held row may have left the list: the next one is on top then.
    const place = held < 0 ? all.findIndex(({ id }) => id < top) : held;
    return place > 0 ? all.slice(place) : all;
  }, [all, top]);
  return { rows, hidden: all.length - rows.length, release };
}
