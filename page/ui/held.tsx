/** Rows of a table stay in place while somebody reads them. A button shows the changes. */
import type { ComponentChildren } from 'preact';
import { useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';

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
  return rows
    .map((row) => ({ row, place: placeOf(row) }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
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
    const isHeld = isReading && held.current?.of === of && held.current.keys.length > 0;
    const shown = isHeld ? inOrderOf(rows, held.current?.keys ?? [], keyOf) : [...rows];
    held.current = { of, keys: shown.map(keyOf) };
    const isOther = isHeld && shown.some((row, index) => row !== rows[index]);
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
  const [, draw] = useReducer((times: number, _: null) => times + 1, 0);
  const release = () => {
    held.current = { of, top: all[0]?.id ?? 0 };
    draw(null);
  };
  const rows = useMemo(() => {
    const place = all.findIndex(({ id }) => id === top);
    return place > 0 ? all.slice(place) : all;
  }, [all, top]);
  return { rows, hidden: all.length - rows.length, release };
}
