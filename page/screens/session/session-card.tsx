/** The session with the regulator: its state, the time left, login and logout. */
import { useState } from 'preact/hooks';
import type { SessionStatus } from '../../../src/contract/statuses.ts';
import { call } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { formatDuration } from '../../ui/format.ts';
import { ErrorState, PolledContent } from '../../ui/states.tsx';
import { Time, useNow } from '../../ui/time.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Session, tellOfChange, useSession } from './regulator-state.ts';
import css from './session.module.css';
import { mayLogIn, SessionLogin } from './session-login.tsx';

const STATUS: Record<SessionStatus, { label: string; tone: Tone; meaning: string }> = {
  active: {
    label: 'Logged in',
    tone: 'good',
    meaning:
      'The service accepts packages and inserts products. It renews the session before its end, if the regulator allows that.',
  },
  awaiting_verification_code: {
    label: 'Needs the code',
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

export function SessionCard() {
  const polled = useSession();
  return (
    <section class={`card ${css.card}`} aria-labelledby="session-heading">
      <h2 id="session-heading">Session</h2>
      <PolledContent polled={polled}>{(session) => <SessionState session={session} />}</PolledContent>
    </section>
  );
}

function SessionState({ session }: { session: Session }) {
  const { status, expires_at } = session;
  const { label, tone, meaning } = STATUS[status];
  return (
    <>
      <Facts>
        <Fact name="State">
          <Badge tone={tone}>{label}</Badge>
        </Fact>
        <Fact name="Time left">
          {status === 'active' && expires_at !== null ? <TimeLeft until={expires_at} /> : '–'}
        </Fact>
        <Fact name={status === 'expired' ? 'Ended' : 'Ends'}>
          {expires_at === null ? '–' : <Time value={expires_at} />}
        </Fact>
      </Facts>
      <p class="muted">{meaning}</p>
      {status === 'active'
        ? can('deleteRegulatorSession') && <LogOut />
        : mayLogIn() && <SessionLogin session={session} />}
    </>
  );
}

function TimeLeft({ until }: { until: string }) {
  const seconds = Math.max(0, Math.floor((Date.parse(until) - useNow()) / 1000));
  return <span class="number">{formatDuration(seconds * 1000)}</span>;
}

function LogOut() {
  const [asking, setAsking] = useState(false);
  const logOut = useAction(async () => {
    await call('deleteRegulatorSession');
    setAsking(false);
    tellOfChange();
  });
  return (
    <p>
      <Button onClick={() => setAsking(true)}>End the session</Button>
      {asking && (
        <Dialog
          title="End the session with the regulator?"
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>Keep the session</Button>
              <Button kind="danger" busy={logOut.busy} onClick={() => void logOut.run()}>
                End the session
              </Button>
            </>
          }
        >
          <p>The service rejects uploads and inserts wait until the next login. No data are lost.</p>
          {logOut.error !== null && <ErrorState error={logOut.error} />}
        </Dialog>
      )}
    </p>
  );
}
