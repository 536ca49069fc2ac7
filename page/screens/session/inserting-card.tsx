/** The pause of all inserts, with its reason. */
import { useState } from 'preact/hooks';
import { PAUSE_REASON_LENGTH } from '../../../src/contract/limits.ts';
import type { Inserting } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/login.ts';
import { useAction } from '../../ui/actions.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, submittedText } from '../../ui/field.tsx';
import { Facts, personOf, Time } from '../../ui/format.tsx';
import { ErrorState, LoadedContent } from '../../ui/states.tsx';
import { Resume } from './regulator-banner.tsx';
import css from './session.module.css';

export function InsertingCard() {
  const polled = usePolled('getInserting', {});
  return (
    <section class={`card stack ${css.card}`} aria-labelledby="inserting-heading">
      <h2 id="inserting-heading">Inserting</h2>
      <LoadedContent of={polled}>{(state) => <InsertingState state={state} />}</LoadedContent>
    </section>
  );
}

function InsertingState({ state: { paused, reason, paused_by, paused_at } }: { state: Inserting }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Facts
        of={{
          State: paused ? <Badge tone="warn">Paused</Badge> : <Badge tone="good">Running</Badge>,
          'Paused by': paused_by === null ? '–' : <strong title={paused_by}>{personOf(paused_by)}</strong>,
          Since: paused_at === null ? '–' : <Time value={paused_at} />,
        }}
      />
      <p class="muted">
        {paused
          ? `Reason: ${reason}`
          : 'During a pause, running steps finish and no others start. Uploads are still accepted.'}
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

function PauseDialog({ onClose }: { onClose(): void }) {
  const [isMissing, setMissing] = useState(false);
  const pause = useAction(async (reason: string) => {
    await call('postInsertingPause', { body: { reason } });
    onClose();
  });
  const submit = (event: SubmitEvent) => {
    const reason = submittedText(event, 'reason');
    setMissing(reason === '');
    if (reason !== '') void pause.run(reason);
  };
  return (
    <Dialog title="Pause inserting" onClose={onClose}>
      <form class="stack loose" onSubmit={submit} noValidate>
        <Field
          label="Reason"
          hint="Shown on every screen during the pause."
          fault={isMissing ? 'Enter a reason.' : null}
        >
          <input name="reason" maxLength={PAUSE_REASON_LENGTH} required />
        </Field>
        {pause.error !== null && <ErrorState error={pause.error} />}
        <p class="cluster end">
          <Button onClick={onClose}>Keep inserting</Button>
          <Button kind="primary" type="submit" busy={pause.busy}>
            Pause
          </Button>
        </p>
      </form>
    </Dialog>
  );
}
