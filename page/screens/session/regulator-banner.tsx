/** The banner on every screen: inserts are paused, or wait for the session with the regulator. */
import type { ComponentChildren } from 'preact';
import type { SessionStatus } from '../../../src/contract/statuses.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { ActionButton } from '../../ui/actions.tsx';
import { Icon } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { countOf, personOf, Time } from '../../ui/format.tsx';

const EVERY_MS = 5_000;

export function RegulatorBanner() {
  return (
    <>
      {can('getInserting') && <PauseNotice />}
      {can('getRegulatorSession') && <SessionNotice />}
    </>
  );
}

function Notice({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <section class="notice warn" aria-label={label}>
      <Icon name="warn" />
      {children}
    </section>
  );
}

function PauseNotice() {
  const { data } = usePolled('getInserting', {}, { everyMs: EVERY_MS });
  if (!data?.paused) return null;
  const { reason, paused_by, paused_at } = data;
  return (
    <Notice label="Inserting is paused">
      <p>
        <strong>Inserting is paused</strong>
        {paused_by !== null && ' by '}
        {paused_by !== null && <strong title={paused_by}>{personOf(paused_by)}</strong>}
        {paused_at !== null && ' since '}
        {paused_at !== null && <Time value={paused_at} />}: {reason}
      </p>
      {can('postInsertingResume') && <Resume />}
    </Notice>
  );
}

export function Resume() {
  return <ActionButton action={() => call('postInsertingResume')}>Resume inserting</ActionButton>;
}

const REASON: Record<Exclude<SessionStatus, 'active'>, string> = {
  none: 'The service has no session with the regulator',
  expired: 'The session with the regulator has ended',
  awaiting_verification_code: 'The login with the regulator requires the mailed code',
};

/** Counts the waiting imports only while there is no session. */
function SessionNotice() {
  const status = usePolled('getRegulatorSession', {}, { everyMs: EVERY_MS }).data?.status ?? 'active';
  const mayCount = can('getPackageImports');
  const query = { status: 'inserting', limit: 1 } as const;
  const enabled = mayCount && status !== 'active';
  const imports = usePolled('getPackageImports', { query }, { everyMs: EVERY_MS, enabled });
  const waiting = imports.data?.counts?.by_status.inserting ?? 0;
  // Without the permission to count, the notice has no number.
  if (status === 'active' || (mayCount && waiting === 0)) return null;
  return (
    <Notice label="Inserts wait for the session">
      <p>
        <strong>{REASON[status]}.</strong>{' '}
        {mayCount ? `${countOf(waiting, 'import waits', 'imports wait')} for it.` : 'Inserts wait for it.'}
      </p>
      <ButtonLink href={to('session')}>
        {status === 'awaiting_verification_code' ? 'Enter the code' : 'Log in with the regulator'}
      </ButtonLink>
    </Notice>
  );
}
