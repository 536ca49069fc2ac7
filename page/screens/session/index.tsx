/** The session of the service with the regulator, and the pause of inserting. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { formatDuration } from '../../../src/common/measures.ts';
import { PAUSE_REASON_LENGTH } from '../../../src/contract/limits.ts';
import type { DataOf, ReadOperationId, RequestOf } from '../../../src/contract/requests.ts';
import type { SessionStatus } from '../../../src/contract/statuses.ts';
import type { AuditEvent, Inserting, RegulatorSession } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { type PollOptions, usePolled } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { Badge, type Mark } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { countOf, Facts, personOf, Time, useSecondsUntil } from '../../ui/format.tsx';
import { LoadedContent, Screen } from '../../ui/states.tsx';
import { Resume } from './regulator-banner.tsx';
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
      <div class="stack loose">
        <div class="columns" style={{ '--least': '36rem' }}>
          <PolledCard title="Session" id="getRegulatorSession">
            {(session) => <SessionState session={session} />}
          </PolledCard>
          {can('getInserting') && (
            <PolledCard title="Inserting" id="getInserting">
              {(state) => <InsertingState state={state} />}
            </PolledCard>
          )}
        </div>
        {can('getAuditEvents') && (
          <PolledCard title="History" id="getAuditEvents" request={{ query: QUERY }} everyMs={30_000}>
            {({ audit_events }) => <SessionEvents events={audit_events} />}
          </PolledCard>
        )}
      </div>
    </Screen>
  );
}

interface PolledCardProps<Id extends ReadOperationId> extends PollOptions {
  title: string;
  id: Id;
  request?: RequestOf<Id>;
  children(data: DataOf<Id>): ComponentChildren;
}

function PolledCard<Id extends ReadOperationId>(props: PolledCardProps<Id>) {
  const { title, id, request = {} as RequestOf<Id>, children, ...options } = props;
  const heading = useId();
  const polled = usePolled(id, request, options);
  return (
    <section class="card stack" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <LoadedContent of={polled}>{children}</LoadedContent>
    </section>
  );
}

/** The state of the session, the time left, login and logout. */
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
  const seconds = Math.max(0, useSecondsUntil(Date.parse(until)));
  return <span class="number">{formatDuration(seconds * 1000)}</span>;
}

function LogOut() {
  return (
    <div class="cluster">
      <ConfirmButton
        label="End the session"
        question="End the session with the regulator?"
        keep="Keep the session"
        onConfirm={() => call('deleteRegulatorSession')}
      >
        <p>The service rejects uploads and inserts wait until the next login. No data are lost.</p>
      </ConfirmButton>
    </div>
  );
}

/** The pause of all inserts, with its reason. */
function InsertingState({ state: { paused, reason, paused_by, paused_at } }: { state: Inserting }) {
  return (
    <>
      <Facts
        of={{
          State: paused ? <Badge tone="warn" label="Paused" /> : <Badge tone="good" label="Running" />,
          'Paused by': paused_by === null ? '–' : <strong title={paused_by}>{personOf(paused_by)}</strong>,
          Since: paused_at === null ? '–' : <Time value={paused_at} />,
        }}
      />
      <p class="muted">
        {paused
          ? `Reason: ${reason}`
          : 'During a pause, running steps finish and no others start. Uploads are still accepted.'}
      </p>
      <div class="cluster">
        {paused && can('postInsertingResume') && <Resume />}
        {!paused && can('postInsertingPause') && (
          <ConfirmButton
            label="Pause inserting"
            question="Pause inserting?"
            keep="Keep inserting"
            onConfirm={(entries) =>
              call('postInsertingPause', { body: { reason: String(entries.get('reason')).trim() } })
            }
          >
            <Field label="Reason" hint="Shown on every screen during the pause.">
              <input name="reason" maxLength={PAUSE_REASON_LENGTH} required pattern=".*\S.*" />
            </Field>
          </ConfirmButton>
        )}
      </div>
    </>
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

function SessionEvents({ events }: { events: readonly AuditEvent[] }) {
  if (events.length === 0) return <p class="muted">There are no logins yet.</p>;
  return (
    <ol class={css.events}>
      {events.map((event) => (
        <li key={event.id}>
          <Time value={event.at} />
          <span>
            <strong title={event.actor}>{personOf(event.actor)}</strong> {ACTIONS[event.action]}
            {detailOf(event)}
          </span>
        </li>
      ))}
    </ol>
  );
}

function detailOf({ detail }: AuditEvent): string {
  const { reason, attempts_left: left } = (detail ?? {}) as { reason?: string; attempts_left?: number };
  if (reason !== undefined) return `: ${reason}`;
  return left === undefined ? '' : `, ${countOf(left, 'attempt')} left`;
}
