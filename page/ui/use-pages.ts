/**
 * A list in pages, newest first. The newest page is polled; older pages are loaded when somebody asks for them, and
 * merged with it.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../api/api-error.ts';
import type { Polled } from '../api/use-polled.ts';

interface Row {
  id: number;
}

/** A page of the API. */
export interface Page<R extends Row> {
  rows: readonly R[];
  /** The start of the next page; null at the end of the list. */
  next_before: number | null;
}

export interface Pages<R extends Row> {
  /** Undefined before the first page. */
  list: Page<R> | undefined;
  /** The rows belong to an earlier query. */
  isStale: boolean;
  hasMore: boolean;
  /** Older rows are being loaded. */
  loading: boolean;
  /** The error of the last request for an older page. */
  error: ApiError | null;
  loadMore(): void;
  /** Loads the page behind this row again. */
  reload(before: number): Promise<unknown>;
}

interface PagesOptions<R extends Row> {
  /** The query of the list; another query starts a new list. */
  of: string;
  newest: Polled<Page<R>>;
  load(before: number): Promise<Page<R>>;
  isOlder?(one: R, than: R): boolean;
}

export function usePages<R extends Row>({ of, newest, load, isOlder }: PagesOptions<R>): Pages<R> {
  const [state, setState] = useState<{ of: string; list: Page<R>; isLong: boolean } | null>(null);
  const [loading, setLoading] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const current = useRef(of);
  current.current = of;
  const isLoading = useRef(false);

  useEffect(() => {
    const page = newest.data;
    if (page === undefined) return;
    setState((known) => {
      if (known?.of !== of || !known.isLong) return { of, list: page, isLong: false };
      return { ...known, list: withPage(known.list, page, null, isOlder) };
    });
  }, [newest.data, of]);

  const reload = useCallback(
    async (before: number) => {
      const page = await load(before);
      setState((known) => {
        if (known?.of !== of || current.current !== of) return known;
        return { of, list: withPage(known.list, page, before, isOlder), isLong: true };
      });
      return page;
    },
    [of],
  );

  const next = state?.of === of ? state.list.next_before : null;
  const loadMore = useCallback(async () => {
    if (next === null || isLoading.current) return;
    isLoading.current = true;
    setLoading(true);
    setError(null);
    try {
      // A page may be empty although the list continues.
      for (let before: number | null = next; before !== null && current.current === of; ) {
        const page = await reload(before);
        if (page.rows.length > 0) break;
        before = page.next_before;
      }
    } catch (failure) {
      setError(asApiError(failure));
    } finally {
      isLoading.current = false;
      setLoading(false);
    }
  }, [reload, next, of]);

  const isEmptySoFar = state?.of === of && state.list.rows.length === 0 && next !== null;
  useEffect(() => {
    if (isEmptySoFar && error === null) void loadMore();
  }, [isEmptySoFar, loadMore, error]);

  return {
    list: state?.list,
    isStale: state !== null && state.of !== of,
    hasMore: next !== null,
    loading,
    error,
    loadMore,
    reload,
  };
}

const hasSmallerId = (one: Row, than: Row): boolean => one.id < than.id;

/**
 * Merges a page into the known list: the page replaces its own part, the rest stays.
 * @param before start of the page; null for the newest
 */
export function withPage<R extends Row>(
  known: Page<R> | null,
  page: Page<R>,
  before: number | null,
  isOlder: (one: R, than: R) => boolean = hasSmallerId,
): Page<R> {
  const last = page.rows.at(-1);
  const [newest] = known?.rows ?? [];
  // More rows arrived than one page holds: the rows between are unknown.
  const hasGap = before === null && page.next_before !== null && last && newest && isOlder(newest, last);
  if (known === null || hasGap) return page;
  const listed = new Set(page.rows.map(({ id }) => id));
  const above = rowsUpTo(known.rows, before).filter(({ id }) => !listed.has(id));
  const below = page.next_before === null || !last ? [] : known.rows.filter((one) => isOlder(one, last));
  return {
    rows: [...above, ...page.rows, ...below],
    next_before: below.length === 0 ? page.next_before : known.next_before,
  };
}

/** Returns all rows when the start of the page is not listed. */
function rowsUpTo<R extends Row>(rows: readonly R[], before: number | null): readonly R[] {
  if (before === null) return [];
  const index = rows.findIndex(({ id }) => id === before);
  return index < 0 ? rows : rows.slice(0, index + 1);
}
