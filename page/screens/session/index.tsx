/** The session of the service with the regulator, and the pause of inserting. */
import { formatDuration } from '../../../src/common/measures.ts';
import type { SessionStatus } from '../../../src/contract/statuses.ts';
import type { AuditEvent, RegulatorSession } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/login.ts';
import { Badge, type Mark } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { countOf, Facts, personOf, Time, useNow } from '../../ui/format.tsx';
import { LoadedContent, Screen } from '../../ui/states.tsx';
import { InsertingCard } from './inserting-card.tsx';
import css from './session.module.css';
import { SessionLogin } from './session-login.tsx';

const STATUS: Record<SessionStatus, Mark & { meaning: string }> = {
  active: {
    label: 'Logged in',
    tone: 'good',
    meaning:
      'The service accepts packages and inserts products. It renews the session before its end, if the regulator allows that.',
  },
  awaiting_verification_code: {
    label: 'Code required',
    tone: 'warn',
    meaning: 'A login has started. The service rejects uploads and inserts wait until the code is entered.',
  },
  expired: {
    label: 'Expired',
    tone: 'bad',
    meaning: 'The regulator has ended the session. The service rejects uploads and inserts wait for a login.',
  },
  none: {
    label: 'Not logged in',
    tone: 'idle',
    meaning: 'The service rejects uploads and inserts wait for a login.',
  },
};

export default function SessionScreen() {
  return (
    <Screen title="Regulator session">
      <div class={css.cards}>
        <SessionCard />
        {can('getInserting') && <InsertingCard />}
        {can('getAuditEvents') && <SessionEvents />}
      </div>
    </Screen>
  );
}

/** The state of the session, the time left, login and logout. */
function SessionCard() {
  const polled = usePolled('getRegulatorSession', {});
  return (
    <section class={`card stack ${css.card}`} aria-labelledby="session-heading">
      <h2 id="session-heading">Session</h2>
      <LoadedContent of={polled}>{(session) => <SessionState session={session} />}</LoadedContent>
    </section>
  );
}

function SessionState({ session }: { session: RegulatorSession }) {
  const { status, expires_at } = session;
  const { label, tone, meaning } = STATUS[status];
  return (
    <>
      <Facts
        of={{
          State: <Badge tone={tone} label={label} />,
          'Time left': status === 'active' && expires_at !== null ? <TimeLeft until={expires_at} /> : '–',
          [status === 'expired' ? 'Ended' : 'Ends']: expires_at === null ? '–' : <Time value={expires_at} />,
        }}
      />
      <p class="muted">{meaning}</p>
      {status === 'active'
        ? can('deleteRegulatorSession') && <LogOut />
        : can('postRegulatorSession') && <SessionLogin session={session} />}
    </>
  );
}

function TimeLeft({ until }: { until: string }) {
  const seconds = Math.max(0, Math.floor((Date.parse(until) - useNow()) / 1000));
  return <span class="number">{formatDuration(seconds * 1000)}</span>;
}

function LogOut() {
  return (
    <p>
      <ConfirmButton
        label="End the session"
        question="End the session with the regulator?"
        keep="Keep the session"
        onConfirm={() => call('deleteRegulatorSession')}
      >
        <p>The service rejects uploads and inserts wait until the next login. No data are lost.</p>
      </ConfirmButton>
    </p>
  );
}

const ACTIONS: Readonly<Record<string, string>> = {
  'regulator-session.login': 'started a login',
  'regulator-session.active': 'logged in',
  'regulator-session.wrong_code': 'entered a wrong code',
  'regulator-session.login_ended': 'ended a login with the fifth wrong code',
  'regulator-session.renewed': 'renewed the session',
  'regulator-session.expired': 'found that the regulator had ended the session',
  'regulator-session.logout': 'ended the session',
  'inserting.paused': 'paused inserting',
  'inserting.resumed': 'resumed inserting',
};

const QUERY = { action: Object.keys(ACTIONS).join(','), limit: 20 };

function SessionEvents() {
  const polled = usePolled('getAuditEvents', { query: QUERY }, { everyMs: 30_000 });
  return (
    <section class={`card stack ${css.card} ${css.wide}`} aria-labelledby="events-heading">
      <h2 id="events-heading">History</h2>
      <LoadedContent of={polled}>
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
      </LoadedContent>
    </section>
  );
}

function detailOf({ detail }: AuditEvent): string {
  const { reason, tries_left: left } = (detail ?? {}) as { reason?: string; tries_left?: number };
  if (reason !== undefined) return `: ${reason}`;
  return left === undefined ? '' : `, ${countOf(left, 'try', 'tries')} left`;
}
