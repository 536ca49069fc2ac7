/** Keeps older pages of a list up to date: only its newest page is polled. */
import { useEffect, useRef } from 'preact/hooks';
import type { Pages, Row } from './use-pages.ts';

const OLDER_MS = 5_000;

/** The index of the first row from an index on that may change; null for none. */
export function changingFrom<R>(
  rows: readonly R[],
  start: number,
  mayChange: (row: R) => boolean,
): number | null {
  const found = rows.findIndex((one, index) => index >= start && mayChange(one));
  return found < 0 ? null : found;
}

/**
 * Loads older pages with rows that may change again, one page at a time.
 *
 * @param newest the number of rows in the newest page
 */
export function useRefreshOfOlder<R extends Row>(
  pages: Pages<R>,
  newest: number,
  mayChange: (row: R) => boolean,
): void {
  const latest = useRef({ pages, newest, mayChange });
  latest.current = { pages, newest, mayChange };
  const isLong = (pages.list?.rows.length ?? 0) > newest;
  useEffect(() => {
    if (!isLong) return;
    let from = 0;
    const timer = setInterval(() => {
      const { newest: first, mayChange } = latest.current;
      const { list, reload } = latest.current.pages;
      if (document.hidden || !list || first === 0) return;
      const indexFrom = (start: number) => changingFrom(list.rows, start, mayChange);
      const index = indexFrom(Math.max(from, first)) ?? indexFrom(first);
      const before = index === null ? undefined : list.rows[index - 1];
      if (index === null || before === undefined) return;
      // Pages have the length of the newest one.
      from = index + first;
      // The next interval tries again.
      reload(before.id).catch(() => {});
    }, OLDER_MS);
    return () => clearInterval(timer);
  }, [isLong]);
}
