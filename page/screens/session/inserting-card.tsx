/** Whether products are being inserted, and the pause of it: with a reason, which everybody who waits can read. */
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { ErrorState, PolledContent } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Actor } from './actor.tsx';
import { type Inserting, tellOfChange, useInserting } from './regulator-state.ts';
import css from './session.module.css';
import { useAction } from './use-action.ts';

/** As the API has it. */
const LONGEST_REASON = 500;

export function InsertingCard() {
  const polled = useInserting();
  return (
    <section class={`card ${css.sessionCard}`} aria-labelledby="inserting-heading">
      <h2 id="inserting-heading">Inserting</h2>
      <PolledContent polled={polled}>{(state) => <InsertingState state={state} />}</PolledContent>
    </section>
  );
}

function InsertingState({ state: { paused, reason, paused_by, paused_at } }: { state: Inserting }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <dl class="facts">
        <div>
          <dt>State</dt>
          <dd>{paused ? <Badge tone="warn">Paused</Badge> : <Badge tone="good">Goes on</Badge>}</dd>
        </div>
        <div>
          <dt>Paused by</dt>
          <dd>{paused_by === null ? '–' : <Actor name={paused_by} />}</dd>
        </div>
        <div>
          <dt>Since</dt>
          <dd>{paused_at === null ? '–' : <Time value={paused_at} />}</dd>
        </div>
      </dl>
      <p class="muted">
        {paused
          ? `Reason: ${reason}`
          : 'A pause lets steps under way end, and begins no other. Packages are still taken in.'}
      </p>
      {paused && can('postInsertingResume') && (
        <p>
          <Resume />
        </p>
      )}
      {!paused && can('postInsertingPause') && (
        <p>
          <Button onClick={() => setAsking(true)}>Pause inserting</Button>
        </p>
      )}
      {asking && <PauseDialog onClose={() => setAsking(false)} />}
    </>
  );
}

/** Also in the banner, where a fault has no room but its own line. */
export function Resume() {
  const resume = useAction(async () => {
    await call('postInsertingResume');
    tellOfChange();
  });
  return (
    <>
      <Button busy={resume.busy} onClick={() => void resume.run()}>
        Let inserting go on
      </Button>
      {resume.error !== null && <span role="alert">{resume.error.message}</span>}
    </>
  );
}

function PauseDialog({ onClose }: { onClose(): void }) {
  const [reason, setReason] = useState('');
  const [isMissing, setMissing] = useState(false);
  const pause = useAction(async () => {
    await call('postInsertingPause', { body: { reason } });
    tellOfChange();
    onClose();
  });
  const submit = (event: Event) => {
    event.preventDefault();
    setMissing(reason.trim() === '');
    if (reason.trim() !== '') void pause.run();
  };
  return (
    <Dialog title="Pause inserting" onClose={onClose}>
      <form class={css.pauseForm} onSubmit={submit} noValidate>
        <Field
          label="Reason"
          hint="Everybody who wonders why nothing moves reads it."
          fault={isMissing ? 'Say why.' : null}
        >
          <input
            type="text"
            value={reason}
            maxLength={LONGEST_REASON}
            required
            onInput={(event: InputEvent) => setReason((event.currentTarget as HTMLInputElement).value)}
          />
        </Field>
        {pause.error !== null && <ErrorState error={pause.error} />}
        <p class={css.formEnd}>
          <Button onClick={onClose}>Do not pause</Button>
          <Button kind="primary" type="submit" busy={pause.busy}>
            Pause
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
