/** The reason of a refused upload, and the next action. */
import { useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/format.ts';
import { useNow } from '../../ui/time.tsx';
import { mayLogIn, SessionDialog } from '../session/session-login.tsx';
import { FILE_GONE } from './send-package.ts';
import css from './upload.module.css';
import type { Job } from './upload-job.ts';

/** Codes that another try cannot change. */
const FINAL: ReadonlySet<string | null> = new Set<ApiError['code']>([
  'no_file',
  'not_a_zip',
  'file_too_large',
  'body_too_large',
  'missing_permission',
  'invalid_package',
  'import_cancelled',
  'import_failed',
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
  const mayTry = !FINAL.has(error.code) && error.message !== FILE_GONE && error.importId === null;
  return (
    <section class={`card ${css.refusal}`} role="alert">
      <h2>{headingOf(job, error)}</h2>
      <p>{error.message}</p>
      {job.mayHaveArrived && mayTry && (
        <p>
          The whole package was sent without an answer, so the import may exist. Trying again is safe: the
          service imports nothing twice.
        </p>
      )}
      {error.retryAfterS !== null && <Patience until={at + error.retryAfterS * 1000} />}
      {error.requestId !== null && (
        <p class="muted">
          Request <code>{error.requestId}</code>
        </p>
      )}
      <p class={css.actions}>
        {mayTry && (
          <Button kind="primary" onClick={onAgain}>
            Try again
          </Button>
        )}
        {error.importId !== null && (
          <ButtonLink kind="primary" href={to(`imports/${error.importId}`)}>
            Show import {error.importId}
          </ButtonLink>
        )}
        {job.mayHaveArrived && error.importId === null && can('getPackageImports') && (
          <ButtonLink href={to('')}>Show the imports</ButtonLink>
        )}
      </p>
    </section>
  );
}

function SessionMissing({ onAgain }: { onAgain(): void }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <section class={`card ${css.refusal}`} role="alert">
      <h2>The service has no session with the regulator.</h2>
      {mayLogIn() ? (
        <>
          <p>Nothing was imported. The import continues after the login.</p>
          <p class={css.actions}>
            <Button kind="primary" onClick={() => setOpen(true)}>
              Log in with the regulator
            </Button>
          </p>
          {isOpen && <SessionDialog onClose={() => setOpen(false)} onActive={onAgain} />}
        </>
      ) : (
        <>
          <p>
            Nothing was imported. An operator has to log in on the screen “Regulator session”. Your file and
            your entries stay here until then.
          </p>
          <p class={css.actions}>
            <Button kind="primary" onClick={onAgain}>
              Try again
            </Button>
          </p>
        </>
      )}
    </section>
  );
}

function Patience({ until }: { until: number }) {
  const leftMs = Math.max(0, Math.ceil((until - useNow()) / 1000) * 1000);
  // A screen reader must not read every second.
  return (
    <p class="number" aria-live="off">
      {leftMs > 0
        ? `The service asks you to wait for ${formatDuration(leftMs)}.`
        : 'The wait is over. Try again.'}
    </p>
  );
}

function headingOf({ purpose }: Job, { status, code }: ApiError): string {
  if (code === 'invalid_package') return 'The package cannot be read.';
  if (code === 'file_too_large') return 'The package is too large.';
  if (code === 'storage_full') return 'The storage of the service is full.';
  if (code === 'outcome_unknown') return 'The package was accepted.';
  if (status === 0) return 'The service could not be reached.';
  if (status === 401) return 'Your login has ended.';
  if (status === 429) return 'Too many requests.';
  if (status === 503) return 'The service is busy.';
  return purpose === 'check' ? 'The dry run failed.' : 'The import failed.';
}
