/** The list as it goes on: its newest page every two seconds, further ones when they are asked for. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { ImportPage } from '../../../src/contract/types.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';
import type { ListQuery } from './filters.ts';
import { type Page, unfinishedFrom, withPage } from './paging.ts';

const PAGE = 100;
const OLDER_MS = 5_000;
const FAILURES_MS = 10_000;

interface State {
  /** The query that it is the answer to. */
  of: string;
  list: Page;
  /** Whether there is more than the newest page. */
  isLong: boolean;
}

export function useImports(query: ListQuery) {
  const of = JSON.stringify(query);
  const first = usePolled('getPackageImports', { query: { ...query, limit: PAGE } });
  const [state, setState] = useState<State | null>(null);
  const [counts, setCounts] = useState<ImportPage['counts']>(null);
  const [loading, setLoading] = useState(false);
  const [moreError, setMoreError] = useState<ApiError | null>(null);
  const current = useRef(of);
  current.current = of;
  const isLoading = useRef(false);

  useEffect(() => {
    const page = first.data;
    if (page === undefined) return;
    setCounts(page.counts);
    setState((before) => {
      if (before?.of !== of || !before.isLong) return { of, list: page, isLong: false };
      return { ...before, list: withPage(before.list, page, null) };
    });
  }, [first.data, of]);

  const ask = useCallback(
    async (before: number) => {
      const page = await call('getPackageImports', { query: { ...query, limit: PAGE, before } });
      if (current.current === of)
        setState((known) =>
          known?.of === of ? { of, isLong: true, list: withPage(known.list, page, before) } : known,
        );
      return page;
    },
    [of],
  );

  const next = state?.of === of ? state.list.next_before : null;
  /** A page may be empty and go on: then the one behind it. */
  const loadMore = useCallback(async () => {
    if (next === null || isLoading.current) return;
    isLoading.current = true;
    setLoading(true);
    setMoreError(null);
    try {
      for (let before: number | null = next; before !== null && current.current === of; ) {
        const page = await ask(before);
        if (page.imports.length > 0) break;
        before = page.next_before;
      }
    } catch (error) {
      setMoreError(asApiError(error));
    } finally {
      isLoading.current = false;
      setLoading(false);
    }
  }, [ask, next, of]);

  const isEmptySoFar = state?.of === of && state.list.imports.length === 0 && next !== null;
  useEffect(() => {
    if (isEmptySoFar && moreError === null) void loadMore();
  }, [isEmptySoFar, loadMore, moreError]);

  useRefreshOfOlder(state, first.data?.imports.length ?? 0, ask);
  return {
    ...{ first, counts, loading, loadMore, moreError },
    list: state?.list,
    /** What is shown is the answer to another question still. */
    isStale: state !== null && state.of !== of,
    hasMore: next !== null,
    failing: useFailing(query),
  };
}

/** Imports under way on further pages: a page of them at a time, in turn. */
function useRefreshOfOlder(
  state: State | null,
  newest: number,
  ask: (before: number) => Promise<Page>,
): void {
  const latest = useRef({ state, newest, ask });
  latest.current = { state, newest, ask };
  const isLong = state?.isLong === true;
  useEffect(() => {
    if (!isLong) return;
    let from = 0;
    const timer = setInterval(() => {
      const { state: known, newest: first, ask: askNow } = latest.current;
      if (document.hidden || !known || first === 0) return;
      const place = unfinishedFrom(known.list, Math.max(from, first)) ?? unfinishedFrom(known.list, first);
      const before = place === null ? undefined : known.list.imports[place - 1];
      if (place === null || before === undefined) return;
      from = place + PAGE;
      // It is asked again with the next turn.
      askNow(before.id).catch(() => {});
    }, OLDER_MS);
    return () => clearInterval(timer);
  }, [isLong]);
}

/** Which imports have failures that their progress does not show: files that could not be read have no submission. */
function useFailing(query: ListQuery): ReadonlySet<number> {
  const { has_failures: asked, ...rest } = query;
  const { data } = usePolled(
    'getPackageImports',
    { query: { ...rest, has_failures: 'true', limit: 200 } },
    { everyMs: FAILURES_MS, enabled: asked === undefined },
  );
  return new Set(data?.imports.map(({ id }) => id));
}
