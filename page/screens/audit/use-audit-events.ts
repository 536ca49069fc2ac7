/** The audit trail, page behind page as somebody scrolls, and whether there is anything newer. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { AuditEvent } from '../../../src/contract/types.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';

export type { AuditEvent };

export interface AuditFilter {
  import_id?: number;
  submission_id?: number;
  actor?: string;
  action?: string;
}

export interface AuditEvents {
  /** Newest first; undefined before the first page. */
  events: AuditEvent[] | undefined;
  /** Another number whenever the list has begun anew. */
  round: number;
  /** Of the last try; null when it succeeded. */
  error: ApiError | null;
  /** Older ones are to come. */
  hasMore: boolean;
  /** Events have been recorded since the first page was loaded. */
  hasNewer: boolean;
  loadMore(): void;
  /** Begins again with the newest. */
  reload(): void;
}

const PAGE = 100;
const LOOK_MS = 5_000;

type State = Pick<AuditEvents, 'events' | 'error' | 'round'> & { key: string; nextBefore: number | null };

const NOTHING = { events: undefined, round: 0, error: null, nextBefore: null };

export function useAuditEvents(filter: AuditFilter): AuditEvents {
  const key = JSON.stringify(filter);
  const [state, setState] = useState<State>({ key, ...NOTHING });
  const [generation, setGeneration] = useState(0);
  const running = useRef<AbortController | null>(null);
  const newest = usePolled('getAuditEvents', { query: { ...filter, limit: 1 } }, { everyMs: LOOK_MS });

  async function load(before: number | null): Promise<void> {
    const reading = new AbortController();
    running.current = reading;
    const query = { ...filter, limit: PAGE, ...(before !== null && { before }) };
    try {
      const page = await call('getAuditEvents', { query, signal: reading.signal });
      setState((last) => ({
        key,
        events: before === null ? page.audit_events : [...(last.events ?? []), ...page.audit_events],
        round: before === null ? generation + 1 : last.round,
        error: null,
        nextBefore: page.next_before,
      }));
    } catch (error) {
      if (!reading.signal.aborted) setState((last) => ({ ...last, key, error: asApiError(error) }));
    } finally {
      if (running.current === reading) running.current = null;
    }
  }

  useEffect(() => {
    setState((last) => (last.key === key ? last : { key, ...NOTHING }));
    void load(null);
    return () => running.current?.abort();
  }, [key, generation]);

  const shown = state.key === key ? state : NOTHING;
  const { nextBefore } = shown;
  const loadMore = () => {
    if (nextBefore !== null && running.current === null) void load(nextBefore);
  };
  const newestId = newest.data?.audit_events[0]?.id ?? 0;
  return {
    ...{
      events: shown.events,
      round: shown.round,
      error: shown.error,
      hasMore: nextBefore !== null,
      loadMore,
    },
    hasNewer: shown.events !== undefined && newestId > (shown.events[0]?.id ?? 0),
    reload: useCallback(() => setGeneration((times) => times + 1), []),
  };
}
