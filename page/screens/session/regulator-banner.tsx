/** On every screen: inserts wait for the session, or because somebody wants it. Only for those who may read the one or the other. */
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { formatNumber } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Time } from '../../ui/time.tsx';
import { Actor } from './actor.tsx';
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
            by <Actor name={data.paused_by} />
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
  none: 'The service is not logged in with the regulator',
  expired: 'The session with the regulator has ended',
  awaiting_verification_code: 'The login with the regulator waits for its code',
};

/** Asks what waits only while something can. */
function WaitingNotice({ session }: { session: Session }) {
  const mayCount = can('getPackageImports');
  const query = { status: 'inserting', limit: 1 } as const;
  const imports = usePolled('getPackageImports', { query }, { everyMs: EVERY_MS, enabled: mayCount });
  const waiting = imports.data?.counts?.by_status.inserting ?? 0;
  // Who cannot see what waits is told that something may.
  if (session.status === 'active' || (mayCount && waiting === 0)) return null;
  return (
    <section class="notice warn" aria-label="Inserts wait for the session">
      <Icon name="warn" />
      <p>
        <strong>{REASON[session.status]}.</strong>{' '}
        {mayCount
          ? `${formatNumber(waiting)} ${waiting === 1 ? 'import waits' : 'imports wait'} for it.`
          : 'Inserts wait for it.'}
      </p>
      <ButtonLink href={to('session')}>
        {session.status === 'awaiting_verification_code' ? 'Give the code' : 'Log in with the regulator'}
      </ButtonLink>
    </section>
  );
}
