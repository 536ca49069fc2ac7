/** A package, first as a dry run, then as an import. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Screen } from '../../ui/screen.tsx';
import { DryRunReport } from './dry-run-report.tsx';
import { PackagePicker } from './package-picker.tsx';
import type { DryRun } from './send-package.ts';
import css from './upload.module.css';
import { choose, isUnderWay, type Job, job, reset, start, startOver } from './upload-job.ts';
import { UploadProgress } from './upload-progress.tsx';
import { UploadRefused } from './upload-refused.tsx';

export default function UploadScreen() {
  const current = job.value;
  const [file, setFile] = useState<File | null>(current.chosen?.file ?? null);
  const [comment, setComment] = useState(current.chosen?.comment ?? '');
  const [email, setEmail] = useState(current.chosen?.email ?? '');
  const { route } = useLocation();
  const { phase } = current;
  const importId = phase.state === 'imported' ? phase.importId : null;

  useEffect(() => {
    if (importId === null || !can('getPackageImport')) return;
    reset();
    route(to(`imports/${importId}`));
  }, [importId, route]);

  // The button that was pressed has gone: the keyboard goes on where it stood.
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (phase.state !== 'idle' && document.activeElement === document.body) stage.current?.focus();
  }, [phase.state]);

  const underWay = isUnderWay(current);
  // Another comment would be another import, beside one that may be there.
  const locked = underWay || current.mayHaveArrived || importId !== null;
  const onChoose = (chosen: File) => {
    const left = choose(chosen);
    setFile(chosen);
    if (left === null) return;
    setComment(left.comment);
    setEmail(left.email);
  };
  const begin = (purpose: Job['purpose']) => file && void start(purpose, { file, comment, email });
  const again = () => begin(current.purpose);
  const onStartOver = () => {
    startOver();
    setFile(null);
    setComment('');
    setEmail('');
  };
  return (
    <Screen
      title="Upload"
      actions={file !== null && !underWay && <StartOver job={current} onConfirm={onStartOver} />}
    >
      <div class={css.upload}>
        <PackagePicker file={file} locked={locked} onChoose={onChoose} />
        <div class={css.uploadFields}>
          <Field label="Comment" hint="Kept with the import, and with each of its products">
            <input
              type="text"
              value={comment}
              maxLength={10_000}
              disabled={locked}
              onInput={(event: InputEvent) => setComment((event.currentTarget as HTMLInputElement).value)}
            />
          </Field>
          <Field
            label="E-mail"
            hint="Who gets the summary when everything has ended; several with commas between"
          >
            <input
              type="text"
              inputMode="email"
              autoComplete="email"
              value={email}
              disabled={locked}
              onInput={(event: InputEvent) => setEmail((event.currentTarget as HTMLInputElement).value)}
            />
          </Field>
        </div>
        <div class={css.stage} ref={stage} tabIndex={-1}>
          {phase.state === 'idle' && (
            <p class={css.uploadActions}>
              <Button kind="primary" disabled={file === null} onClick={() => begin('check')}>
                Check the package
              </Button>
              <span class="muted">Nothing is imported yet: first you see what an import would do.</span>
            </p>
          )}
          {(phase.state === 'sending' || phase.state === 'reading' || phase.state === 'waiting') && (
            <UploadProgress job={current} phase={phase} />
          )}
          {phase.state === 'refused' && (
            <UploadRefused job={current} error={phase.error} at={phase.at} onAgain={again} />
          )}
          {(phase.state === 'cancelled' || phase.state === 'left') && (
            <Interrupted job={current} onAgain={again} />
          )}
          {phase.state === 'checked' && current.result && (
            <ImportIt result={current.result} onImport={() => begin('import')} />
          )}
          {importId !== null && (
            <p class="card">
              The package is import {importId}. <Button onClick={onStartOver}>Upload another one</Button>
            </p>
          )}
        </div>
        {current.result && <DryRunReport result={current.result} />}
      </div>
    </Screen>
  );
}

function ImportIt({ result: { counts }, onImport }: { result: DryRun; onImport(): void }) {
  const toSend = counts.new + counts.changed;
  return (
    <p class={css.uploadActions} role="status">
      <Button kind={toSend > 0 ? 'primary' : 'default'} onClick={onImport}>
        Import it
      </Button>
      <span>
        {toSend > 0
          ? `${toSend} ${toSend === 1 ? 'product' : 'products'} would be sent to the regulator.`
          : 'Nothing of it would be sent to the regulator.'}
      </span>
    </p>
  );
}

/** By a person, or by a reload of the page. */
function Interrupted({ job: { purpose, phase, mayHaveArrived }, onAgain }: { job: Job; onAgain(): void }) {
  return (
    <section class={`card ${css.refusal}`} role="status">
      <h2>{phase.state === 'left' ? 'Its import was under way' : 'Cancelled'}</h2>
      <p>{wordsOn(phase, mayHaveArrived)}</p>
      <p class={css.uploadActions}>
        <Button kind="primary" onClick={onAgain}>
          {purpose === 'check' ? 'Check the package' : 'Send it again'}
        </Button>
        {mayHaveArrived && can('getPackageImports') && (
          <ButtonLink href={to('')}>Look at the imports</ButtonLink>
        )}
      </p>
    </section>
  );
}

function wordsOn(phase: Job['phase'], mayHaveArrived: boolean): string {
  if (phase.state === 'left')
    return 'The page was left while this package was being imported: sent again, it is the same request, so that an import that has arrived is found, and nothing is imported twice.';
  return mayHaveArrived
    ? 'The package had been sent whole: it may be imported all the same. Look at the imports, where it can be cancelled. To send it again is safe, it is the same request and nothing is imported twice.'
    : 'Nothing was imported.';
}

/** Forgets the key of an import that may be there only after a question: the next one would be another import. */
function StartOver({ job: { mayHaveArrived }, onConfirm }: { job: Job; onConfirm(): void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button onClick={() => (mayHaveArrived ? setAsking(true) : onConfirm())}>Start over</Button>
      {asking && (
        <Dialog
          title="Start over?"
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button onClick={() => setAsking(false)}>Stay here</Button>
              <Button kind="danger" onClick={onConfirm}>
                Start over
              </Button>
            </>
          }
        >
          <p>
            This package may be imported already. Look at the imports first: sent again from the beginning, it
            would be another import.
          </p>
        </Dialog>
      )}
    </>
  );
}
