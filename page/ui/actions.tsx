/** Calls of the API that a person starts, with their error. */
import { useState } from 'preact/hooks';
import type { Submission } from '../../src/contract/types.ts';
import { type ApiError, asApiError, call } from '../api/client.ts';
import { refreshAll } from '../api/use-polled.ts';
import { can, logIn } from '../auth/login.ts';
import { Button } from './button.tsx';

export interface Action<Arguments extends unknown[]> {
  run(...args: Arguments): Promise<void>;
  busy: boolean;
  /** The error of the last call; null while a call is running. */
  error: ApiError | null;
  /** Removes the error. */
  clear(): void;
}

/** Runs the call of a button, then polls everything on the page. @param work its error is kept for the screen, not thrown. */
export function useAction<Arguments extends unknown[]>(
  work: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  async function run(...args: Arguments): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await work(...args);
    } catch (failure) {
      setError(asApiError(failure));
    } finally {
      setBusy(false);
      refreshAll();
    }
  }
  return { run, busy, error, clear: () => setError(null) };
}

interface LogInButtonProps {
  label: string;
  kind?: 'default' | 'primary';
}

export function LogInButton({ label, kind = 'default' }: LogInButtonProps) {
  const { run, busy, error } = useAction(logIn);
  return (
    <>
      {error !== null && <p role="alert">The identity service cannot be reached. {error.message}</p>}
      <Button kind={kind} busy={busy} onClick={() => void run()}>
        {label}
      </Button>
    </>
  );
}

interface RetryButtonProps {
  of: Pick<Submission, 'id' | 'product_id' | 'actions'>;
  /** Called after each attempt; null when the submission is queued. */
  onRetried(error: ApiError | null): void;
}

/** Drawn only when the service offers a retry and the person may request it. */
export function RetryButton({ of: { id, product_id, actions }, onRetried }: RetryButtonProps) {
  const [process] = actions;
  const retry = useAction(async (name: NonNullable<typeof process>) => {
    try {
      await call('postSubmissionAction', { params: { id, process: name } });
      onRetried(null);
    } catch (error) {
      onRetried(asApiError(error));
    }
  });
  if (process === undefined || !can('postSubmissionAction')) return null;
  return (
    <Button busy={retry.busy} onClick={() => void retry.run(process)} aria-label={`Retry ${product_id}`}>
      Retry
    </Button>
  );
}
