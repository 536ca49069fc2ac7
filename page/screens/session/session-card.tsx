/** The session with the regulator: whether there is one, for how long still, and its login and logout. */
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { formatDuration } from '../../ui/format.ts';
import { ErrorState, PolledContent } from '../../ui/states.tsx';
import type { Tone } from '../../ui/status.ts';
import { Time } from '../../ui/time.tsx';
import { type Session, tellOfChange, useSession } from './regulator-state.ts';
import css from './session.module.css';
import { mayLogIn } from './session-dialog.tsx';
import { SessionLogin } from './session-login.tsx';
import { useAction } from './use-action.ts';
import { useNow } from './use-now.ts';

const STATUS: Record<Session['status'], { label: string; tone: Tone; meaning: string }> = {
  active: {
    label: 'Logged in',
    tone: 'good',
    meaning:
      'Packages are taken in, and products are sent. Near its end the service renews the session, where the regulator lets it.',
  },
  awaiting_verification_code: {
    label: 'Waits for its code',
    tone: 'warn',
    meaning: 'A login has begun. Until its code is given no package is taken in, and inserts wait.',
  },
  expired: {
    label: 'Expired',
    tone: 'bad',
    meaning:
      'The regulator has ended the session. No package is taken in, and inserts wait for the next login.',
  },
  none: {
    label: 'Not logged in',
    tone: 'idle',
    meaning: 'No package is taken in, and inserts wait for a login.',
  },
};

export function SessionCard() {
  const polled = useSession();
  return (
    <section class={`card ${css.sessionCard}`} aria-labelledby="session-heading">
      <h2 id="session-heading">Session</h2>
      <PolledContent polled={polled}>{(session) => <SessionState session={session} />}</PolledContent>
    </section>
  );
}

function SessionState({ session }: { session: Session }) {
  const { label, tone, meaning } = STATUS[session.status];
  return (
    <>
      <dl class="facts">
        <div>
          <dt>State</dt>
          <dd>
            <Badge tone={tone}>{label}</Badge>
          </dd>
        </div>
        <div>
          <dt>Time left</dt>
          <dd class="number">
            {session.status === 'active' && session.expires_at !== null ? (
              <TimeLeft until={session.expires_at} />
            ) : (
              '–'
            )}
          </dd>
        </div>
        <div>
          <dt>{session.status === 'expired' ? 'Ended' : 'Ends'}</dt>
          <dd>{session.expires_at === null ? '–' : <Time value={session.expires_at} />}</dd>
        </div>
      </dl>
      <p class="muted">{meaning}</p>
      {session.status === 'active'
        ? can('deleteRegulatorSession') && <LogOut />
        : mayLogIn() && <SessionLogin session={session} />}
    </>
  );
}

function TimeLeft({ until }: { until: string }) {
  return <>{formatDuration(Math.max(0, Math.floor((Date.parse(until) - useNow()) / 1000) * 1000))}</>;
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
              <Button onClick={() => setAsking(false)}>Keep it</Button>
              <Button kind="danger" busy={logOut.busy} onClick={() => void logOut.run()}>
                End the session
              </Button>
            </>
          }
        >
          <p>
            Nobody can import until somebody logs in again, and products that are being inserted wait. Nothing
            is lost.
          </p>
          {logOut.error !== null && <ErrorState error={logOut.error} />}
        </Dialog>
      )}
    </p>
  );
}
