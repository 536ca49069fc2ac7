/** The pause of all inserts, with its reason. */
import { useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { can } from '../../auth/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { personOf } from '../../ui/format.ts';
import { ErrorState, PolledContent } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Inserting, tellOfChange, useInserting } from './regulator-state.ts';
import css from './session.module.css';

/** The limit of the API, in characters. */
const LONGEST_REASON = 500;

export function InsertingCard() {
  const polled = useInserting();
  return (
    <section class={`card ${css.card}`} aria-labelledby="inserting-heading">
      <h2 id="inserting-heading">Inserting</h2>
      <PolledContent polled={polled}>{(state) => <InsertingState state={state} />}</PolledContent>
    </section>
  );
}

function InsertingState({ state: { paused, reason, paused_by, paused_at } }: { state: Inserting }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Facts>
        <Fact name="State">
          {paused ? <Badge tone="warn">Paused</Badge> : <Badge tone="good">Running</Badge>}
        </Fact>
        <Fact name="Paused by">
          {paused_by === null ? '–' : <strong title={paused_by}>{personOf(paused_by)}</strong>}
        </Fact>
        <Fact name="Since">{paused_at === null ? '–' : <Time value={paused_at} />}</Fact>
      </Facts>
      <p class="muted">
        {paused
          ? `Reason: ${reason}`
          : 'A pause lets running steps finish and starts no others. Uploads are still accepted.'}
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

/** The button, also for the banner. */
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
          hint="Shown on every screen during the pause."
          fault={isMissing ? 'Enter a reason.' : null}
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
          <Button onClick={onClose}>Keep inserting</Button>
          <Button kind="primary" type="submit" busy={pause.busy}>
            Pause
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
