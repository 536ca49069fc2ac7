/**
 * The regulator session and the pause of inserting. A change in one part of the page refreshes all others. The banner on
 * every screen says that inserts are paused, or that they wait for the session.
 */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { SessionStatus } from '../../../src/contract/statuses.ts';
import { call } from '../../api/client.ts';
import { type Polled, type PollOptions, usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { useAction } from '../../ui/actions.tsx';
import { Icon } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
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
  const { data } = useInserting({ everyMs: EVERY_MS });
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
  const resume = useAction(async () => {
    await call('postInsertingResume');
    tellOfChange();
  });
  return (
    <>
      <Button busy={resume.busy} onClick={() => void resume.run()}>
        Resume inserting
      </Button>
      {resume.error !== null && <span role="alert">{resume.error.message}</span>}
    </>
  );
}

function SessionNotice() {
  const { data } = useSession({ everyMs: EVERY_MS });
  if (data === undefined || data.status === 'active') return null;
  return <WaitingNotice status={data.status} />;
}

const REASON: Record<Exclude<SessionStatus, 'active'>, string> = {
  none: 'The service has no session with the regulator',
  expired: 'The session with the regulator has ended',
  awaiting_verification_code: 'The login with the regulator requires the mailed code',
};

/** Counts the waiting imports only while there is no session. */
function WaitingNotice({ status }: { status: keyof typeof REASON }) {
  const mayCount = can('getPackageImports');
  const query = { status: 'inserting', limit: 1 } as const;
  const imports = usePolled('getPackageImports', { query }, { everyMs: EVERY_MS, enabled: mayCount });
  const waiting = imports.data?.counts?.by_status.inserting ?? 0;
  // Without the permission to count, the notice has no number.
  if (mayCount && waiting === 0) return null;
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

const changes = signal(0);

/** After a login, a wrong code or a pause: all parts load their state again. */
export function tellOfChange(): void {
  changes.value += 1;
}

export const useSession = (options?: PollOptions) =>
  useRefreshOnChange(usePolled('getRegulatorSession', {}, options));
export const useInserting = (options?: PollOptions) =>
  useRefreshOnChange(usePolled('getInserting', {}, options));

export function useRefreshOnChange<T>(polled: Polled<T>): Polled<T> {
  const { refresh } = polled;
  const seen = changes.value;
  useEffect(() => {
    // The first load happens anyway.
    if (seen > 0) refresh();
  }, [seen, refresh]);
  return polled;
}
