/** The reason of a refused upload, and the next action. */
import { useState } from 'preact/hooks';
import { formatDuration } from '../../../src/common/measures.ts';
import type { ApiError } from '../../api/client.ts';
import { FILE_GONE } from '../../api/send-package.ts';
import { can } from '../../auth/login.ts';
import { to } from '../../settings.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { useSecondsUntil } from '../../ui/format.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { SessionDialog } from '../session/session-login.tsx';
import type { Job } from './upload-job.ts';

/** Codes that another attempt cannot change. */
const FINAL: ReadonlySet<string | null> = new Set<ApiError['code']>([
  'no_file',
  'not_a_zip',
  'file_too_large',
  'body_too_large',
  'missing_permission',
  'invalid_package',
  'import_cancelled',
  'idempotency_key_reused',
]);

interface UploadRefusedProps {
  job: Job;
  error: ApiError;
  /** When it was refused; milliseconds since 1970. */
  at: number;
  onAgain(): void;
}

export function UploadRefused({ job, error, at, onAgain }: UploadRefusedProps) {
  if (error.code === 'session_required') return <SessionMissing onAgain={onAgain} />;
  const { code, importId, message, retryAfterSeconds } = error;
  const mayTry = !FINAL.has(code) && message !== FILE_GONE && importId === null;
  return (
    <ErrorState error={error} heading={headingOf(job, error)} onRetry={mayTry ? onAgain : undefined}>
      {job.mayHaveArrived && mayTry && (
        <p>
          The package was sent without an answer, so the import may exist. You can try again: the service
          imports nothing twice.
        </p>
      )}
      {retryAfterSeconds !== null && <Countdown until={at + retryAfterSeconds * 1000} />}
      {importId !== null && (
        <ButtonLink kind="primary" href={to(`imports/${importId}`)}>
          Show import {importId}
        </ButtonLink>
      )}
      {job.mayHaveArrived && importId === null && can('getPackageImports') && (
        <ButtonLink href={to('')}>Show the imports</ButtonLink>
      )}
    </ErrorState>
  );
}

function SessionMissing({ onAgain }: { onAgain(): void }) {
  const mayLogIn = can('postRegulatorSession');
  const [isOpen, setOpen] = useState(mayLogIn);
  return (
    <EmptyState title="The service has no session with the regulator">
      <p>
        Nothing was imported.{' '}
        {mayLogIn
          ? 'The import continues after the login.'
          : 'An operator has to log in on the screen “Regulator session”. This screen keeps your file and your entries.'}
      </p>
      <Button kind="primary" onClick={mayLogIn ? () => setOpen(true) : onAgain}>
        {mayLogIn ? 'Log in with the regulator' : 'Try again'}
      </Button>
      {isOpen && <SessionDialog onClose={() => setOpen(false)} onActive={onAgain} />}
    </EmptyState>
  );
}

function Countdown({ until }: { until: number }) {
  const seconds = useSecondsUntil(until);
  // A screen reader must not read every second.
  return (
    <p class="number" aria-live="off">
      {seconds > 0
        ? `The service asks you to wait for ${formatDuration(seconds * 1000)}.`
        : 'The wait is over. Try again.'}
    </p>
  );
}

/** Undefined for the heading of the status. */
function headingOf({ purpose }: Job, { status, code }: ApiError): string | undefined {
  if (code === 'invalid_package') return 'The package cannot be read.';
  if (code === 'file_too_large') return 'The package is too large.';
  if (code === 'storage_full') return 'The storage of the service is full.';
  if (code === 'outcome_unknown') return 'The package was accepted.';
  if ([0, 401, 429, 503].includes(status)) return undefined;
  return purpose === 'dryRun' ? 'The dry run failed.' : 'The import failed.';
}
