/** Data of the API, loaded once or polled. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { pauseAfter } from '../../src/common/retrying.ts';
import type { AnyRequest, DataOf, ReadOperationId, RequestOf } from '../../src/contract/requests.ts';
import { login } from '../auth/login.ts';
import { type ApiError, asApiError, dataIn, send } from './client.ts';

/** The data of one request, with their freshness. */
export interface Loaded<T> {
  /** The last successful answer, kept after failures of polls; undefined before the first. */
  data: T | undefined;
  /** The error of the last attempt; null when it succeeded. An error beside data means that the data are stale. */
  error: ApiError | null;
  /** The time of the last successful answer, 304 included. */
  checkedAt: Date | null;
  /** Loads at once. */
  refresh(): void;
}

const NOTHING = { data: undefined, error: null, checkedAt: null };

/**
 * Loads at once, and again without data when an input has changed.
 * @param load its signal is aborted when its result is no longer wanted
 */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Loaded<T> {
  const [loaded, setLoaded] = useState<Omit<Loaded<T>, 'refresh'>>(NOTHING);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    const loading = new AbortController();
    const show = (next: typeof loaded) => loading.signal.aborted || setLoaded(next);
    setLoaded(NOTHING);
    load(loading.signal).then(
      (data) => show({ data, error: null, checkedAt: new Date() }),
      (error) => show({ ...NOTHING, error: asApiError(error) }),
    );
    return () => loading.abort();
  }, [...inputs, attempts]);
  return { ...loaded, refresh: () => setAttempts(attempts + 1) };
}

const LONGEST_PAUSE_MS = 30_000;
/** Without an answer for so long, the connection is lost. The browser itself waits for many minutes. */
const SILENCE_MS = 60_000;

export interface PollOptions {
  /** Milliseconds between an answer and the next request. */
  everyMs?: number | undefined;
  /** False sends no request. */
  enabled?: boolean;
}

const polls = new Set<() => void>();

/** Polls everything on the page at once. */
export function refreshAll(): void {
  for (const ask of polls) ask();
}

/**
 * Polls an operation while the page is visible. Each request sends the ETag of the last answer. A 304 draws nothing.
 * @param request its parameters and query; a changed request starts without data
 */
export function usePolled<Id extends ReadOperationId>(
  id: Id,
  request: RequestOf<Id>,
  { everyMs = 2_000, enabled = true }: PollOptions = {},
): Loaded<DataOf<Id>> {
  type State = Omit<Loaded<DataOf<Id>>, 'refresh'> & { of: string };
  const of = JSON.stringify([id, request]);
  const nothing: State = { of, data: undefined, error: null, checkedAt: null };
  const [state, setState] = useState(nothing);
  const pace = useRef(everyMs);
  pace.current = everyMs;
  const askNow = useRef(() => {});
  const isOn = enabled && login.value.state !== 'ended';

  useEffect(() => {
    if (!isOn) return;
    let etag: string | null = null;
    let checkedAt: Date | null = null;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running: AbortController | undefined;
    const show = (change: Partial<State>) =>
      setState((known) => ({ ...(known.of === of ? known : nothing), ...change }));

    async function ask(): Promise<void> {
      clearTimeout(timer);
      running?.abort();
      const call = new AbortController();
      running = call;
      let pauseMs = pace.current;
      const silence = setTimeout(() => call.abort(SILENCE_MS), SILENCE_MS);
      try {
        const headers: Record<string, string> = etag === null ? {} : { 'If-None-Match': etag };
        const response = await send(id, { ...(request as AnyRequest), headers, signal: call.signal });
        clearTimeout(silence);
        const data = response.status === 304 ? undefined : await dataIn<DataOf<Id>>(response);
        if (call.signal.aborted) return;
        checkedAt = new Date();
        if (data !== undefined) {
          etag = response.headers.get('ETag');
          show({ data, error: null, checkedAt });
        } else if (failures > 0) show({ error: null, checkedAt });
        failures = 0;
      } catch (failure) {
        clearTimeout(silence);
        if (call.signal.aborted && call.signal.reason !== SILENCE_MS) return;
        const error = asApiError(failure);
        failures += 1;
        show({ error, ...(checkedAt && { checkedAt }) });
        const policy = { firstPauseMs: 2 * pace.current, longestPauseMs: LONGEST_PAUSE_MS };
        pauseMs = pauseAfter(error, failures, policy);
      }
      if (!document.hidden) timer = setTimeout(ask, pauseMs);
    }

    const onVisible = () => {
      if (document.hidden) clearTimeout(timer);
      else void ask();
    };
    const now = () => void ask();
    askNow.current = now;
    polls.add(now);
    document.addEventListener('visibilitychange', onVisible);
    now();
    return () => {
      polls.delete(now);
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
      running?.abort();
      askNow.current = () => {};
    };
    // The JSON of the request is compared, since every render creates new objects.
  }, [of, isOn]);

  const { data, error, checkedAt } = state.of === of ? state : nothing;
  return { data, error, checkedAt, refresh: () => askNow.current() };
}
