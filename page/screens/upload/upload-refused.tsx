/** Why an upload did not succeed, and what can be done about it. */
import { useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { can } from '../../auth/permissions.ts';
import { to } from '../../settings.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatDuration } from '../../ui/format.ts';
import { mayLogIn, SessionDialog } from '../session/session-dialog.tsx';
import { useNow } from '../session/use-now.ts';
import { FILE_GONE } from './send-package.ts';
import css from './upload.module.css';
import type { Job } from './upload-job.ts';

/** Codes that mean the same of the same package, however often it is sent. */
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
          The package was sent whole, and no answer came: it may be imported. To try again is safe, it is the
          same request and nothing is imported twice.
        </p>
      )}
      {error.retryAfterS !== null && <Patience until={at + error.retryAfterS * 1000} />}
      {error.requestId !== null && (
        <p class="muted">
          Request <code>{error.requestId}</code>
        </p>
      )}
      <p class={css.uploadActions}>
        {mayTry && (
          <Button kind="primary" onClick={onAgain}>
            Try again
          </Button>
        )}
        {error.importId !== null && (
          <ButtonLink kind="primary" href={to(`imports/${error.importId}`)}>
            To import {error.importId}
          </ButtonLink>
        )}
        {job.mayHaveArrived && error.importId === null && can('getPackageImports') && (
          <ButtonLink href={to('')}>Look at the imports</ButtonLink>
        )}
      </p>
    </section>
  );
}

function SessionMissing({ onAgain }: { onAgain(): void }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <section class={`card ${css.refusal}`} role="alert">
      <h2>The service is not logged in with the regulator.</h2>
      {mayLogIn() ? (
        <>
          <p>Nothing was imported. Log in, and the import goes on.</p>
          <p class={css.uploadActions}>
            <Button kind="primary" onClick={() => setOpen(true)}>
              Log in with the regulator
            </Button>
          </p>
          {isOpen && <SessionDialog onClose={() => setOpen(false)} onActive={onAgain} />}
        </>
      ) : (
        <>
          <p>
            Nothing was imported. An operator has to log in: whoever runs this service can, on the screen
            “Regulator session”. What you have chosen stays here until then.
          </p>
          <p class={css.uploadActions}>
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
  // Not said again every second.
  return (
    <p class="number" aria-live="off">
      {leftMs > 0
        ? `The service asks to wait. There may be room in ${formatDuration(leftMs)}.`
        : 'The time that the service asked for is over.'}
    </p>
  );
}

function headingOf({ purpose }: Job, { status, code }: ApiError): string {
  if (code === 'invalid_package') return 'The package cannot be read.';
  if (code === 'file_too_large') return 'The package is too large.';
  if (code === 'storage_full') return 'The service has no room for packages at present.';
  if (code === 'outcome_unknown') return 'The package was taken in.';
  if (status === 0) return 'The service could not be reached.';
  if (status === 401) return 'Your login has ended.';
  if (status === 429) return 'Too much at the same time.';
  if (status === 503) return 'The service is busy.';
  return purpose === 'check' ? 'The dry run did not succeed.' : 'The import did not succeed.';
}
