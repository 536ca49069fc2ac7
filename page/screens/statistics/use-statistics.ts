/** All lines of a period, over all pages, loaded again after a while. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import type { Polled } from '../../api/use-polled.ts';
import { type Line, lineOf, type Span } from './period.ts';

/** The service counts days every few minutes, and hours with each request. */
const EVERY_MS: Record<Span, number> = { day: 60_000, hour: 300_000 };
const PAGE = 200;
/** A year with 11 clients, a month with 130, or three days by hour with 55. */
export const MOST_LINES = 4_000;

export interface PeriodLines {
  lines: Line[];
  /** The oldest days or hours of the period are missing. */
  isCut: boolean;
}

type State = { key: string; data?: PeriodLines; error: ApiError | null; checkedAt: Date | null };

/** @param from day, as `to` */
export function useStatistics(
  by: Span,
  from: string,
  to: string,
  clientId: string | null,
): Polled<PeriodLines> {
  const key = `${by}/${from}/${to}/${clientId}`;
  const [state, setState] = useState<State>({ key, error: null, checkedAt: null });
  const ask = useRef(() => {});

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let call = new AbortController();
    ask.current = () => {
      clearTimeout(timer);
      call.abort();
      call = new AbortController();
      const { signal } = call;
      allLines({ by, from, to, ...(clientId !== null && { client_id: clientId }) }, signal)
        .then((data) => setState({ key, data, error: null, checkedAt: new Date() }))
        .catch((error: unknown) => {
          if (!signal.aborted)
            setState((last) => ({
              ...(last.key === key ? last : { key, checkedAt: null }),
              error: asApiError(error),
            }));
        })
        .finally(() => {
          if (!signal.aborted) timer = setTimeout(whenSeen, EVERY_MS[by]);
        });
    };
    const whenSeen = () => (document.hidden ? undefined : ask.current());
    document.addEventListener('visibilitychange', whenSeen);
    ask.current();
    return () => {
      document.removeEventListener('visibilitychange', whenSeen);
      clearTimeout(timer);
      call.abort();
    };
  }, [key]);

  const refresh = useCallback(() => ask.current(), []);
  const shown = state.key === key ? state : { data: undefined, error: null, checkedAt: null };
  return { data: shown.data, error: shown.error, checkedAt: shown.checkedAt, refresh };
}

async function allLines(
  query: { by: Span; from: string; to: string; client_id?: string },
  signal: AbortSignal,
): Promise<PeriodLines> {
  const lines: Line[] = [];
  let before: string | undefined;
  do {
    const page = await call('getStatistics', { query: { ...query, limit: PAGE, before }, signal });
    lines.push(...page.statistics.map((line) => lineOf(line, query.by)));
    before = page.next_before ?? undefined;
  } while (before !== undefined && lines.length < MOST_LINES);
  return { lines, isCut: before !== undefined };
}
