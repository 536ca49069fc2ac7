/** On every screen: inserts are paused, or they wait for the session. */
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Icon } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { countOf, personOf } from '../../ui/format.ts';
import { Time } from '../../ui/time.tsx';
import { Resume } from './inserting-card.tsx';
import { type Session, useInserting, useSession } from './regulator-state.ts';

const EVERY_MS = 5_000;

export function RegulatorBanner() {
  return (
    <>
      {can('getInserting') && <PauseNotice />}
      {can('getRegulatorSession') && <SessionNotice />}
    </>
  );
}

function PauseNotice() {
  const { data } = useInserting({ everyMs: EVERY_MS });
  if (!data?.paused) return null;
  return (
    <section class="notice warn" aria-label="Inserting is paused">
      <Icon name="warn" />
      <p>
        <strong>Inserting is paused</strong>
        {data.paused_by !== null && (
          <>
            {' '}
            by <strong title={data.paused_by}>{personOf(data.paused_by)}</strong>
          </>
        )}
        {data.paused_at !== null && (
          <>
            {' '}
            since <Time value={data.paused_at} />
          </>
        )}
        : {data.reason}
      </p>
      {can('postInsertingResume') && <Resume />}
    </section>
  );
}

function SessionNotice() {
  const { data } = useSession({ everyMs: EVERY_MS });
  if (data === undefined || data.status === 'active') return null;
  return <WaitingNotice session={data} />;
}

const REASON: Record<Exclude<Session['status'], 'active'>, string> = {
  none: 'The service has no session with the regulator',
  expired: 'The session with the regulator has ended',
  awaiting_verification_code: 'The login with the regulator needs the code',
};

/** Counts the waiting imports only while there is no session. */
function WaitingNotice({ session }: { session: Session }) {
  const mayCount = can('getPackageImports');
  const query = { status: 'inserting', limit: 1 } as const;
  const imports = usePolled('getPackageImports', { query }, { everyMs: EVERY_MS, enabled: mayCount });
  const waiting = imports.data?.counts?.by_status.inserting ?? 0;
  // Without the permission to count, the notice has no number.
  if (session.status === 'active' || (mayCount && waiting === 0)) return null;
  return (
    <section class="notice warn" aria-label="Inserts wait for the session">
      <Icon name="warn" />
      <p>
        <strong>{REASON[session.status]}.</strong>{' '}
        {mayCount ? `${countOf(waiting, 'import waits', 'imports wait')} for it.` : 'Inserts wait for it.'}
      </p>
      <ButtonLink href={to('session')}>
        {session.status === 'awaiting_verification_code' ? 'Enter the code' : 'Log in with the regulator'}
      </ButtonLink>
    </section>
  );
}
