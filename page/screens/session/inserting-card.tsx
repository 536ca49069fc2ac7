/** The pause of all inserts, with its reason. */
import { PAUSE_REASON_LENGTH } from '../../../src/contract/limits.ts';
import type { Inserting } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { usePolled } from '../../api/use-polled.ts';
import { can } from '../../auth/login.ts';
import { Badge } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Facts, personOf, Time } from '../../ui/format.tsx';
import { LoadedContent } from '../../ui/states.tsx';
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
      {paused && can('postInsertingResume') && (
        <p>
          <Resume />
        </p>
      )}
      {!paused && can('postInsertingPause') && (
        <div>
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
        </div>
      )}
    </>
  );
}
