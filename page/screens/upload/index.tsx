/** The upload of a package: a dry run, then the import. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { COMMENT_LENGTH } from '../../../src/contract/limits.ts';
import type { DryRunResult } from '../../../src/contract/types.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { countOf } from '../../ui/format.tsx';
import { EmptyState, Screen } from '../../ui/states.tsx';
import { DryRunReport } from './dry-run-report.tsx';
import { PackagePicker } from './package-picker.tsx';
import css from './upload.module.css';
import { type Chosen, isUnderWay, type Job, job, reset, start } from './upload-job.ts';
import { UploadProgress } from './upload-progress.tsx';
import { UploadRefused } from './upload-refused.tsx';

type Entries = Omit<Chosen, 'file'> & { file: File | null };

const NO_ENTRIES: Entries = { file: null, comment: '', email: '' };

export default function UploadScreen() {
  const current = job.value;
  const [entries, setEntries] = useState<Entries>(current.chosen ?? NO_ENTRIES);
  const { file } = entries;
  const { route } = useLocation();
  const { phase } = current;
  const importId = phase.state === 'imported' ? phase.importId : null;

  useEffect(() => {
    if (importId === null || !can('getPackageImport')) return;
    reset();
    route(to(`imports/${importId}`));
  }, [importId, route]);

  // The pressed button is gone: the focus stays in its place.
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (phase.state !== 'idle' && document.activeElement === document.body) stage.current?.focus();
  }, [phase.state]);

  const underWay = isUnderWay(phase);
  // Another comment starts another import, beside an import that may exist.
  const locked = underWay || current.mayHaveArrived || importId !== null;
  const set = (change: Partial<Entries>) => setEntries({ ...entries, ...change });
  const onChoose = (chosen: File) => {
    reset();
    set({ file: chosen });
  };
  const begin = (purpose: Job['purpose']) => file && void start(purpose, { ...entries, file });
  const again = () => begin(current.purpose);
  const onStartOver = () => {
    reset();
    setEntries(NO_ENTRIES);
  };
  return (
    <Screen
      title="Upload"
      actions={file !== null && !underWay && <StartOver job={current} onConfirm={onStartOver} />}
    >
      <div class="stack loose">
        <PackagePicker file={file} locked={locked} onChoose={onChoose} />
        <div class={`columns ${css.fields}`} style={{ '--least': '20rem' }}>
          <Field label="Comment" hint="Stored with the import and its products">
            <input
              value={entries.comment}
              maxLength={COMMENT_LENGTH}
              disabled={locked}
              onInput={(event) => set({ comment: event.currentTarget.value })}
            />
          </Field>
          <Field
            label="E-mail"
            hint="Receives the summary at the end; separate several addresses with commas"
          >
            <input
              inputMode="email"
              autoComplete="email"
              value={entries.email}
              disabled={locked}
              onInput={(event) => set({ email: event.currentTarget.value })}
            />
          </Field>
        </div>
        <div class={css.stage} ref={stage} tabIndex={-1}>
          {phase.state === 'idle' && (
            <p class="cluster">
              <Button kind="primary" disabled={file === null} onClick={() => begin('dryRun')}>
                Check the package
              </Button>
              <span class="muted">A dry run shows the result without importing anything.</span>
            </p>
          )}
          {isUnderWay(phase) && <UploadProgress job={current} phase={phase} />}
          {phase.state === 'refused' && (
            <UploadRefused job={current} error={phase.error} at={phase.at} onAgain={again} />
          )}
          {phase.state === 'cancelled' && <Cancelled job={current} onAgain={again} />}
          {phase.state === 'checked' && current.result && (
            <ImportIt result={current.result} onImport={() => begin('import')} />
          )}
          {importId !== null && (
            <p class="card">
              The upload created import {importId}.{' '}
              <Button onClick={onStartOver}>Upload another package</Button>
            </p>
          )}
        </div>
        {current.result && <DryRunReport result={current.result} />}
      </div>
    </Screen>
  );
}

function ImportIt({ result: { counts }, onImport }: { result: DryRunResult; onImport(): void }) {
  const toSend = counts.new + counts.changed;
  return (
    <p class="cluster" role="status">
      <Button kind={toSend > 0 ? 'primary' : 'default'} onClick={onImport}>
        Import the package
      </Button>
      <span>
        {toSend > 0
          ? `${countOf(toSend, 'product')} would be sent to the regulator.`
          : 'No product would be sent to the regulator.'}
      </span>
    </p>
  );
}

function Cancelled({ job: { purpose, mayHaveArrived }, onAgain }: { job: Job; onAgain(): void }) {
  return (
    <EmptyState title="Cancelled">
      <p>
        {mayHaveArrived
          ? 'The whole package was sent, so the import may exist. Cancel it in the list of imports. You can send it again: the service imports nothing twice.'
          : 'Nothing was imported.'}
      </p>
      <Button kind="primary" onClick={onAgain}>
        {purpose === 'dryRun' ? 'Check the package' : 'Send it again'}
      </Button>
      {mayHaveArrived && can('getPackageImports') && <ButtonLink href={to('')}>Show the imports</ButtonLink>}
    </EmptyState>
  );
}

/** Asks before it forgets the key of an import that may exist: the next upload would be a second import. */
function StartOver({ job: { mayHaveArrived }, onConfirm }: { job: Job; onConfirm(): void }) {
  if (!mayHaveArrived) return <Button onClick={onConfirm}>Start over</Button>;
  return (
    <ConfirmButton
      label="Start over"
      question="Start over?"
      keep="Keep this upload"
      onConfirm={async () => onConfirm()}
    >
      <p>
        This package may be imported already. Check the list of imports first: a new upload would be a second
        import.
      </p>
    </ConfirmButton>
  );
}
