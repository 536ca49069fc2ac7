/**
 * Polls an operation of the API while the page is visible. Each request carries the ETag of the last answer.
 * A 304 draws nothing.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { pauseAfter } from '../../src/common/retrying.ts';
import type { AnyRequest, DataOf, ReadOperationId, RequestOf } from '../../src/contract/requests.ts';
import { login } from '../auth/login.ts';
import { asApiError, dataIn, send } from './client.ts';
import type { Loaded } from './use-loaded.ts';

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

/** @param request its parameters and query; a changed request starts without data */
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
