/** While somebody reads in a table, its rows stay where they are, whatever happens to them. */
import { useMemo, useRef, useState } from 'preact/hooks';

/**
 * Rows in the order in which they were, new ones behind them.
 *
 * @param keys of the rows as they stood
 */
export function inOrderOf<T>(rows: readonly T[], keys: readonly string[], keyOf: (row: T) => string): T[] {
  const places = new Map(keys.map((key, place) => [key, place]));
  const placeOf = (row: T) => places.get(keyOf(row)) ?? keys.length;
  // Sorting is stable: new ones keep their order among themselves.
  return rows
    .map((row) => ({ row, place: placeOf(row) }))
    .sort((a, b) => a.place - b.place)
    .map(({ row }) => row);
}

/** Whether somebody reads in what stands in the element that gets these listeners: it is scrolled, or has the focus. */
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
 * @param rows in the order in which they ought to stand
 * @param of what they are confined to: when that changes, nothing is held
 * @returns the rows as they stand, whether they ought to stand otherwise, and how to have that
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
