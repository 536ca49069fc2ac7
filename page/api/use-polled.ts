/**
 * Polls an operation of the API while the page is visible. Each request carries the ETag of the last answer.
 * A 304 draws nothing.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { pauseAfter } from '../../src/common/retrying.ts';
import type { AnyRequest, DataOf, ReadOperationId, RequestOf } from '../../src/contract/requests.ts';
import { asApiError, errorOf, jsonOf, send } from './client.ts';
import type { Loaded } from './use-loaded.ts';

const LONGEST_PAUSE_MS = 30_000;

export interface PollOptions {
  /** Milliseconds between an answer and the next request. */
  everyMs?: number;
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
  const key = JSON.stringify([id, request]);
  const nothing: State = { of: key, data: undefined, error: null, checkedAt: null };
  const [state, setState] = useState(nothing);
  /** Outlives a changed pace. */
  const last = useRef<{ state: State; etag: string | null }>({ state: nothing, etag: null });
  const askNow = useRef(() => {});

  useEffect(() => {
    if (!enabled) return;
    const policy = { firstPauseMs: 2 * everyMs, longestPauseMs: LONGEST_PAUSE_MS };
    if (last.current.state.of !== key) last.current = { state: nothing, etag: null };
    const known = last.current;
    let failures = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running: AbortController | undefined;
    const show = (next: State) => {
      known.state = next;
      setState(next);
    };

    async function ask(): Promise<void> {
      clearTimeout(timer);
      running?.abort();
      const call = new AbortController();
      running = call;
      try {
        const headers: Record<string, string> = known.etag === null ? {} : { 'If-None-Match': known.etag };
        const response = await send(id, { ...(request as AnyRequest), headers, signal: call.signal });
        const answer = response.status === 304 ? null : await jsonOf(response);
        if (call.signal.aborted) return;
        if (response.status !== 304 && (!response.ok || answer === null)) throw errorOf(response, answer);
        failures = 0;
        if (answer !== null) {
          known.etag = response.headers.get('ETag');
          const { data } = answer as { data: DataOf<Id> };
          show({ of: key, data, error: null, checkedAt: new Date() });
        } else {
          const hadError = known.state.error !== null;
          known.state = { ...known.state, error: null, checkedAt: new Date() };
          if (hadError) show(known.state);
        }
      } catch (error) {
        if (call.signal.aborted) return;
        failures += 1;
        show({ ...known.state, error: asApiError(error) });
      }
      if (!document.hidden)
        timer = setTimeout(ask, failures === 0 ? everyMs : pauseAfter(known.state.error, failures, policy));
    }

    const onVisible = () => {
      if (document.hidden) clearTimeout(timer);
      else void ask();
    };
    const now = () => void ask();
    askNow.current = now;
    polls.add(now);
    document.addEventListener('visibilitychange', onVisible);
    void ask();
    return () => {
      polls.delete(now);
      document.removeEventListener('visibilitychange', onVisible);
      clearTimeout(timer);
      running?.abort();
      askNow.current = () => {};
    };
    // The JSON of the parameters is compared, since every render creates new objects.
  }, [key, everyMs, enabled]);

  const refresh = useCallback(() => askNow.current(), []);
  const { data, error, checkedAt } = state.of === key ? state : nothing;
  return { data, error, checkedAt, refresh };
}
