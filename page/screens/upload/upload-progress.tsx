/** A running upload: its progress, speed and time left, and the pause after a lost connection. */
import { formatBytes, formatDuration } from '../../../src/common/measures.ts';
import { Button } from '../../ui/button.tsx';
import { useSecondsUntil } from '../../ui/format.tsx';
import css from './upload.module.css';
import { cancel, type Job, tryNow, type UnderWay } from './upload-job.ts';

export function UploadProgress({ job: { purpose, mayHaveArrived }, phase }: { job: Job; phase: UnderWay }) {
  const name = purpose === 'dryRun' ? 'Dry run' : 'Import';
  return (
    <section class="card stack" aria-label={`${name} in progress`}>
      <h2>{name}</h2>
      <progress
        class={`${css.bar} ${phase.state === 'reading' ? css.endless : ''}`}
        aria-label="Sent"
        aria-valuetext={wordsOf(phase)}
        value={shareOf(phase)}
      />
      <p class="number">{wordsOf(phase)}</p>
      <p class={css.note} role="status">
        {phase.state === 'reading' && readingNote(purpose)}
        {phase.state === 'sending' && phase.attempt > 1 && `Attempt ${phase.attempt}.`}
        {phase.state === 'waiting' && <TryingAgain phase={phase} isImport={purpose === 'import'} />}
      </p>
      <p class="cluster">
        <Button onClick={cancel}>Cancel</Button>
        {phase.state === 'waiting' && <Button onClick={tryNow}>Try now</Button>}
        {purpose === 'import' && mayHaveArrived && (
          <span class="muted">The import may exist already, and may continue after you cancel here.</span>
        )}
      </p>
    </section>
  );
}

function TryingAgain({
  phase,
  isImport,
}: {
  phase: Extract<UnderWay, { state: 'waiting' }>;
  isImport: boolean;
}) {
  const seconds = Math.max(0, useSecondsUntil(phase.at));
  return (
    <>
      <strong>{phase.error.message}</strong>{' '}
      <span aria-hidden="true">
        Next attempt in <span class="number">{seconds} s</span> (attempt {phase.attempt}).
      </span>
      <span class="hidden-text">The page retries the upload.</span>{' '}
      {isImport && 'The service imports nothing twice.'}
    </>
  );
}

function readingNote(purpose: Job['purpose']): string {
  return purpose === 'dryRun'
    ? 'The service reads the package and compares it with earlier inserts.'
    : 'The service has the package. It reads the package and queues its products.';
}

function shareOf(phase: UnderWay): number {
  if (phase.state === 'reading') return 1;
  return phase.state === 'sending' && phase.total > 0 ? phase.sent / phase.total : 0;
}

function wordsOf(phase: UnderWay): string {
  if (phase.state === 'reading') return 'Sent. Reading …';
  if (phase.state === 'waiting' || phase.total === 0) return 'Connecting …';
  const { sent, total, perSecond } = phase;
  const parts = [`${formatBytes(sent)} of ${formatBytes(total)}`];
  if (perSecond !== null) parts.push(`${formatBytes(perSecond)}/s`);
  // Whole seconds, since tenths flicker.
  if (perSecond) parts.push(`${formatDuration(Math.ceil((total - sent) / perSecond) * 1000)} left`);
  return parts.join(' · ');
}
