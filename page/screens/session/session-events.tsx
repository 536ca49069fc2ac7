/** Who did what with the session and the pause: the audit trail, of these actions alone. */
import { useEffect, useState } from 'preact/hooks';
import type { AuditEvent } from '../../../src/contract/types.ts';
import { type ApiError, asApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { ErrorState, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Actor } from './actor.tsx';
import { changesSoFar } from './regulator-state.ts';
import css from './session.module.css';

const ACTIONS: Readonly<Record<string, string>> = {
  'regulator-session.login': 'began a login',
  'regulator-session.active': 'logged in',
  'regulator-session.wrong_code': 'gave a wrong code',
  'regulator-session.login_ended': 'ended a login with the fifth wrong code',
  'regulator-session.renewed': 'renewed the session',
  'regulator-session.expired': 'found the session ended by the regulator',
  'regulator-session.logout': 'ended the session',
  'inserting.paused': 'paused inserting',
  'inserting.resumed': 'let inserting go on',
};

const SHOWN = 20;
const EVERY_MS = 30_000;

export function SessionEvents() {
  const [events, setEvents] = useState<AuditEvent[] | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [asked, setAsked] = useState(0);
  const changes = changesSoFar();
  useEffect(() => {
    const call = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      try {
        if (!document.hidden) setEvents(await newest(call.signal));
        setError(null);
      } catch (error) {
        if (call.signal.aborted) return;
        setError(asApiError(error));
      }
      timer = setTimeout(ask, EVERY_MS);
    };
    void ask();
    return () => {
      call.abort();
      clearTimeout(timer);
    };
  }, [changes, asked]);
  return (
    <section class={`card ${css.sessionCard} ${css.sessionEvents}`} aria-labelledby="events-heading">
      <h2 id="events-heading">Who did what</h2>
      {error !== null && <ErrorState error={error} onRetry={() => setAsked(asked + 1)} />}
      {events === null && error === null && <Loading />}
      {events?.length === 0 && <p class="muted">Nobody has logged in yet.</p>}
      {events !== null && events.length > 0 && (
        <ol class={css.events}>
          {events.map((one) => (
            <li key={one.id}>
              <Time value={one.at} />
              <span>
                <Actor name={one.actor} /> {ACTIONS[one.action]}
                {detailOf(one)}
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** @throws ApiError */
async function newest(signal: AbortSignal): Promise<AuditEvent[]> {
  const query = { action: Object.keys(ACTIONS).join(','), limit: SHOWN };
  return (await call('getAuditEvents', { query, signal })).audit_events;
}

function detailOf({ detail }: AuditEvent): string {
  const { reason, tries_left: left } = (detail ?? {}) as { reason?: string; tries_left?: number };
  if (reason !== undefined) return `: ${reason}`;
  return left === undefined ? '' : `, ${left} ${left === 1 ? 'try' : 'tries'} left`;
}
