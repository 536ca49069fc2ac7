/** The audit events of the session and of the pause. */

import type { AuditEvent } from '../../../src/contract/types.ts';
import { usePolled } from '../../api/use-polled.ts';
import { personOf } from '../../ui/format.ts';
import { PolledContent } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useRefreshOnChange } from './regulator-state.ts';
import css from './session.module.css';

const ACTIONS: Readonly<Record<string, string>> = {
  'regulator-session.login': 'started a login',
  'regulator-session.active': 'logged in',
  'regulator-session.wrong_code': 'entered a wrong code',
  'regulator-session.login_ended': 'ended a login with the fifth wrong code',
  'regulator-session.renewed': 'renewed the session',
  'regulator-session.expired': 'found the session ended by the regulator',
  'regulator-session.logout': 'ended the session',
  'inserting.paused': 'paused inserting',
  'inserting.resumed': 'resumed inserting',
};

const QUERY = { action: Object.keys(ACTIONS).join(','), limit: 20 };

export function SessionEvents() {
  const polled = usePolled('getAuditEvents', { query: QUERY }, { everyMs: 30_000 });
  useRefreshOnChange(polled);
  return (
    <section class={`card stack ${css.card} ${css.wide}`} aria-labelledby="events-heading">
      <h2 id="events-heading">History</h2>
      <PolledContent polled={polled}>
        {({ audit_events }) =>
          audit_events.length === 0 ? (
            <p class="muted">There are no logins yet.</p>
          ) : (
            <ol class={css.events}>
              {audit_events.map((event) => (
                <li key={event.id}>
                  <Time value={event.at} />
                  <span>
                    <strong title={event.actor}>{personOf(event.actor)}</strong> {ACTIONS[event.action]}
                    {detailOf(event)}
                  </span>
                </li>
              ))}
            </ol>
          )
        }
      </PolledContent>
    </section>
  );
}

function detailOf({ detail }: AuditEvent): string {
  const { reason, tries_left: left } = (detail ?? {}) as { reason?: string; tries_left?: number };
  if (reason !== undefined) return `: ${reason}`;
  return left === undefined ? '' : `, ${left} ${left === 1 ? 'try' : 'tries'} left`;
}
