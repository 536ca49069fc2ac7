/** A table of a list in pages. The last rows in sight load the next page; new rows stay hidden while somebody reads. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { countOf } from './format.tsx';
import type { Row } from './pages.ts';
import { ErrorState, Loading, StaleNotice } from './states.tsx';
import type { Pages } from './use-pages.ts';
import { type Column, VirtualTable } from './virtual-table.tsx';

interface PagedTableProps<R extends Row> {
  pages: Pages<R>;
  /** A row in the singular: `import`. */
  row: string;
  label: string;
  columns: readonly Column<R>[];
  onOpen(row: R): void;
  /** Pixels at a font size of 14 px. */
  rowHeight: number;
  /** Shown in place of a list without rows. */
  empty: ComponentChildren;
  /** Identifies a row across updates; by default its id. */
  keyOf?(row: R): string | number;
  /** By default, new rows above the first shown one stay hidden. */
  hold?: Hold<R>;
}

/** Treatment of changed rows while somebody reads. */
interface Hold<R> {
  arrange: Arrange<R>;
  /** Text of the button that shows the rows as they are. */
  newsOf(all: readonly R[], shown: readonly R[]): string | null;
}

const NONE: readonly never[] = [];

export function PagedTable<R extends Row>(props: PagedTableProps<R>) {
  const { pages, row, label, columns, onOpen, rowHeight, empty, keyOf = ({ id }) => id } = props;
  const { hold = hidingNew<R>(row) } = props;
  const { newest, list, isStale, hasMore } = pages;
  const all = list?.rows ?? NONE;
  const held = useHeld(all, pages.of, hold.arrange);
  const { rows } = held;
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
          <HeldList held={held} news={hold.newsOf(all, rows)}>
            <VirtualTable
              label={label}
              columns={columns}
              rows={rows}
              keyOf={keyOf}
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

function hidingNew<R extends Row>(row: string): Hold<R> {
  return {
    arrange: belowTopOf,
    newsOf(all, shown) {
      const hidden = all.length - shown.length;
      return hidden > 0 ? `Show ${countOf(hidden, `new ${row}`)}` : null;
    },
  };
}

/** Shown below a list: the number of its rows, and whether it continues. @param row in the singular */
export function PagesEnd({ pages, row }: { pages: Pages<Row>; row: string }) {
  const { list, hasMore, loading, error, loadMore } = pages;
  if (error !== null)
    return (
      <p class="list-end muted" role="alert">
        Further {row}s could not be loaded: {error.message}
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
  held: Pick<ReturnType<typeof useHeld>, 'place' | 'release'>;
  /** The changes that the button shows; null when there are none. */
  news: string | null;
  /** The table. */
  children: ComponentChildren;
}

function HeldList({ held, news, children }: HeldListProps) {
  return (
    <div class="list" ref={held.place}>
      <p class="news" role="status">
        {news !== null && (
          <Button kind="quiet" onClick={held.release}>
            {news}
          </Button>
        )}
      </p>
      {children}
    </div>
  );
}

/** Arranges rows while somebody reads. @param shown the rows before the change, at least one */
type Arrange<T> = (rows: readonly T[], shown: readonly T[]) => readonly T[];

/** Keeps the order of shown rows, with new rows behind them. */
export function inOrderOf<T>(
  rows: readonly T[],
  shown: readonly T[],
  keyOf: (row: T) => string,
): readonly T[] {
  const places = new Map(shown.map((row, place) => [keyOf(row), place]));
  const placeOf = (row: T) => places.get(keyOf(row)) ?? shown.length;
  // The sort is stable: new rows keep their order.
  return rows.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** Hides new rows above the first shown one. The next one is on top if it has left the list. */
export function belowTopOf<R extends Row>(rows: readonly R[], [top]: readonly R[]): readonly R[] {
  const held = rows.findIndex(({ id }) => id === top?.id);
  const place = held < 0 ? rows.findIndex(({ id }) => top !== undefined && id < top.id) : held;
  return place > 0 ? rows.slice(place) : rows;
}

/**
 * Holds the arrangement of rows while somebody reads: the table is scrolled, or has the focus.
 *
 * @param of the filter: another one releases the rows
 * @returns the rows to show, the element around the table, and how to show all rows as they are
 */
export function useHeld<T>(all: readonly T[], of: string, arrange: Arrange<T>) {
  const place = useRef<HTMLDivElement>(null);
  const [released, setReleased] = useState(0);
  const held = useRef<{ of: string; rows: readonly T[] }>({ of, rows: [] });
  const table = () => place.current?.querySelector('.table');
  const rows = useMemo(() => {
    const element = table();
    const isReading = element && (element.scrollTop > 0 || element.contains(document.activeElement));
    const isHeld = isReading && held.current.of === of && held.current.rows.length > 0;
    const shown = isHeld ? arrange(all, held.current.rows) : all;
    held.current = { of, rows: shown };
    return shown;
  }, [all, of, released]);
  const release = () => {
    held.current.rows = [];
    table()?.scrollTo({ top: 0 });
    setReleased((times) => times + 1);
  };
  return { rows, place, release };
}
