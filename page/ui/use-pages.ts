/**
 * A list in pages, newest first. The newest page is polled; older pages are loaded when somebody asks for them, and
 * merged with it.
 */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AnyRequest, DataOf, ReadOperationId, RequestOf } from '../../src/contract/requests.ts';
import { type ApiError, asApiError, dataIn, send } from '../api/client.ts';
import { type Loaded, type PollOptions, usePolled } from '../api/use-data.ts';
import { type Cursor, type Page, type Row, withPage } from './pages.ts';

const OLDER_MS = 5_000;

export interface Pages<R extends Row, Data = unknown> {
  /** Identifies the request of the list. */
  of: string;
  /** The newest page. */
  newest: Loaded<Data>;
  /** Undefined before the first page. */
  list: Page<R> | undefined;
  /** The rows belong to an earlier request. */
  isStale: boolean;
  hasMore: boolean;
  /** Older rows are being loaded. */
  loading: boolean;
  /** The error of the last request for an older page. */
  error: ApiError | null;
  loadMore(): void;
}

interface PagesOptions<Id extends ReadOperationId, R extends Row> extends Pick<PollOptions, 'everyMs'> {
  rowsOf(data: DataOf<Id>): readonly R[];
  /** Whether a row comes after another one in the list; by default a smaller id. */
  isOlder?(one: R, than: R): boolean;
  /** Older pages with such rows are loaded again, one at a time. By default none. */
  mayChange?(row: R): boolean;
  /** Rows that are loaded without a request of the screen. */
  atLeast?: number;
}

interface State<R extends Row> {
  of: string;
  list: Page<R>;
  /** It has older pages. */
  isLong: boolean;
  loading: boolean;
  error: ApiError | null;
}

export function usePages<Id extends ReadOperationId, R extends Row>(
  id: Id,
  request: RequestOf<Id>,
  { rowsOf, isOlder, mayChange, everyMs, atLeast = 1 }: PagesOptions<Id, R>,
): Pages<R, DataOf<Id>> {
  const of = JSON.stringify([id, request]);
  const newest = usePolled(id, request, { everyMs });
  const pageOf = (data: DataOf<Id>): Page<R> => ({ rows: rowsOf(data), ...cursorOf(data) });
  const newestPage = useMemo(
    () => (newest.data === undefined ? undefined : pageOf(newest.data)),
    [newest.data],
  );
  const [state, setState] = useState<State<R> | null>(null);
  const known: Partial<State<R>> | null = state?.of === of ? state : null;
  const { list, loading = false, error = null } = known ?? {};
  /** The loading of older pages, which another request of the list ends. */
  const load = useRef({ signal: AbortSignal.abort(), isUnderWay: false });
  useLayoutEffect(() => {
    const end = new AbortController();
    load.current = { signal: end.signal, isUnderWay: false };
    return () => end.abort();
  }, [of]);

  useEffect(() => {
    if (newestPage === undefined) return;
    setState((known) => {
      if (known?.of !== of) return { of, list: newestPage, isLong: false, loading: false, error: null };
      const list = known.isLong ? withPage(known.list, newestPage, null, isOlder) : newestPage;
      return { ...known, list };
    });
  }, [newestPage, of]);

  const reload = useCallback(
    async (before: Cursor) => {
      const { signal } = load.current;
      const { query, ...rest } = request as AnyRequest;
      const response = await send(id, { ...rest, query: { ...query, before }, signal });
      const page = pageOf(await dataIn<DataOf<Id>>(response));
      signal.throwIfAborted();
      setState(
        (known) => known && { ...known, list: withPage(known.list, page, before, isOlder), isLong: true },
      );
      return page;
    },
    [of],
  );

  const next = list?.next_before ?? null;
  const loadMore = useCallback(async () => {
    const { current } = load;
    if (next === null || current.isUnderWay) return;
    current.isUnderWay = true;
    const show = (change: Pick<State<R>, 'loading' | 'error'>) =>
      setState((known) => known && { ...known, ...change });
    show({ loading: true, error: null });
    let problem: ApiError | null = null;
    try {
      // A page may be empty although the list continues.
      for (let before: Cursor | null = next; before !== null; ) {
        const page = await reload(before);
        if (page.rows.length > 0) break;
        before = page.next_before;
      }
    } catch (failure) {
      problem = asApiError(failure);
    }
    if (current.signal.aborted) return;
    current.isUnderWay = false;
    show({ loading: false, error: problem });
  }, [reload, next]);

  const isShort = list !== undefined && list.rows.length < atLeast && next !== null;
  useEffect(() => {
    if (isShort && error === null) void loadMore();
  }, [isShort, loadMore, error]);

  const latest = useRef({ list, pageLength: 0, mayChange });
  latest.current = { list, pageLength: newestPage?.rows.length ?? 0, mayChange };
  const hasOlder = list !== undefined && list.rows.length > latest.current.pageLength;
  useEffect(() => {
    if (!hasOlder) return;
    let next = 0;
    const timer = setInterval(() => {
      const { list, pageLength, mayChange } = latest.current;
      if (document.hidden || !list || !mayChange || pageLength === 0) return;
      const from = (start: number) => list.rows.findIndex((row, at) => at >= start && mayChange(row));
      const later = from(Math.max(next, pageLength));
      const index = later < 0 ? from(pageLength) : later;
      const before = list.rows[index - 1];
      if (before === undefined) return;
      next = index + pageLength;
      // The next interval tries again.
      reload(before.id).catch(() => {});
    }, OLDER_MS);
    return () => clearInterval(timer);
  }, [hasOlder, reload]);

  return {
    of: state?.of ?? of,
    newest,
    list: state?.list,
    isStale: state !== null && state.of !== of,
    hasMore: next !== null,
    loading,
    error,
    loadMore,
  };
}

/** Every list of the API has it. */
const cursorOf = (data: unknown) => ({ next_before: (data as { next_before: Cursor | null }).next_before });
