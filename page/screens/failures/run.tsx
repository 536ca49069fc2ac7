/** The run over failures: its preview, its start, its progress and its stop. */
import { useEffect, useState } from 'preact/hooks';
import type { ImportAction } from '../../../src/contract/statuses.ts';
import type { Failures, FailuresQuery, FailuresRun } from '../../../src/contract/types.ts';
import { call } from '../../api/client.ts';
import { useLoaded } from '../../api/use-data.ts';
import { can } from '../../auth/login.ts';
import { ActionButton } from '../../ui/actions.tsx';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { countOf, personOf, Time } from '../../ui/format.tsx';
import { LoadedContent } from '../../ui/states.tsx';

const TONES: Readonly<Record<FailuresRun['status'], Tone>> = {
  running: 'busy',
  completed: 'good',
  stopped: 'idle',
  failed: 'bad',
};

export function RunState({ run }: { run: FailuresRun }) {
  const done = `${run.done_imports} of ${countOf(run.imports, 'import')}`;
  return (
    <section class="card stack" aria-label="Last run">
      <p class="cluster" role="status">
        <Badge tone={TONES[run.status]} label={run.action === 'cancel' ? 'Cancellation' : 'Retry'} />
        {run.status}: {done} done, {countOf(run.done_products, 'product')}
      </p>
      <div class="cluster muted">
        Requested by {personOf(run.requested_by)}, <Time value={run.requested_at} />
        <ActionButton
          kind="danger"
          offered={run.status === 'running' && can('postFailuresRunStop')}
          action={() => call('postFailuresRunStop')}
        >
          Stop
        </ActionButton>
      </div>
    </section>
  );
}

interface RunButtonProps {
  action: ImportAction;
  label: string;
  query: FailuresQuery;
  disabled: boolean;
  onStart(): void;
}

/** Shows the preview first, and starts nothing before it. */
export function RunButton({ action, label, query, disabled, onStart }: RunButtonProps) {
  const [isPreviewed, setPreviewed] = useState(false);
  const start = () => call('postFailuresAction', { params: { action }, query }).then(onStart);
  return (
    <ConfirmButton
      label={label}
      kind={action === 'cancel' ? 'danger' : 'default'}
      question={`${label}?`}
      keep="Close"
      disabled={disabled}
      isReady={isPreviewed}
      onConfirm={start}
    >
      <Preview action={action} query={query} onLoaded={setPreviewed} />
    </ConfirmButton>
  );
}

interface PreviewProps extends Pick<RunButtonProps, 'action' | 'query'> {
  /** Called with false when the preview is closed. */
  onLoaded(isLoaded: boolean): void;
}

function Preview({ action, query, onLoaded }: PreviewProps) {
  const preview = useLoaded(
    () => call('postFailuresAction', { params: { action }, query: { ...query, dry_run: 'true' } }),
    [],
  );
  useEffect(() => {
    onLoaded(preview.data !== undefined);
    return () => onLoaded(false);
  }, [preview.data]);
  return (
    <LoadedContent of={preview}>
      {(found) => (
        <p role="status">
          <strong>{amountText(found)}.</strong>{' '}
          {action === 'cancel'
            ? 'Only running imports are cancelled, each as a whole. Inserted products stay.'
            : 'One run goes through the imports, one after the other. It can be stopped.'}
        </p>
      )}
    </LoadedContent>
  );
}

export function amountText({ products, imports, complete }: Omit<Failures, 'groups'>): string {
  return `${complete ? '' : 'At least '}${countOf(products, 'product')} in ${countOf(imports, 'import')}`;
}
