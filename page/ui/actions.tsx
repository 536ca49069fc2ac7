/** Calls of the API that a person starts, with their failure. */
import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import type { ErrorCode } from '../../src/contract/error-codes.ts';
import type { Submission } from '../../src/contract/types.ts';
import { type ApiError, asApiError, call } from '../api/client.ts';
import { refreshAll } from '../api/use-data.ts';
import { can, logIn } from '../auth/login.ts';
import { to } from '../settings.ts';
import { Button, ButtonLink, type ButtonProps } from './button.tsx';
import { Reference } from './states.tsx';

/** The failure of the last action on the page. Another action, or another screen, removes it. */
const failed = signal<{ action: unknown; about: string | undefined; error: ApiError } | null>(null);

export function forgetFailure(): void {
  failed.value = null;
}

export interface Action<Arguments extends unknown[]> {
  run(...args: Arguments): Promise<void>;
  busy: boolean;
  /** Null as soon as another call is running, of this or of any other action. */
  error: ApiError | null;
}

/**
 * Runs the call of a button, then polls everything on the page.
 * @param work its error is kept for the screen, not thrown
 * @param name identifies the action where several components know it; by default it is that of this component
 * @param about the thing that it concerns, for a message that is shown elsewhere
 */
export function useAction<Arguments extends unknown[]>(
  work: (...args: Arguments) => Promise<unknown>,
  name?: string,
  about?: string,
): Action<Arguments> {
  const [busy, setBusy] = useState(false);
  const own = useRef({});
  const action = name ?? own.current;
  async function run(...args: Arguments): Promise<void> {
    const { pathname } = location;
    setBusy(true);
    forgetFailure();
    try {
      await work(...args);
    } catch (failure) {
      // Another screen may show the data of another import, with the same actions.
      if (location.pathname === pathname) failed.value = { action, about, error: asApiError(failure) };
    } finally {
      setBusy(false);
      refreshAll();
    }
  }
  return { run, busy, error: failed.value?.action === action ? failed.value.error : null };
}

interface ActionButtonProps extends Omit<ButtonProps, 'action'> {
  action(): Promise<unknown>;
  /** False hides the button. Its failure stays: data that arrive after a failure often withdraw the action. */
  offered?: boolean;
}

/** A button that calls the API, with its failure beside it. */
export function ActionButton({ action, offered = true, ...button }: ActionButtonProps) {
  const { run, busy, error } = useAction(action);
  return (
    <>
      {offered && <Button {...button} busy={busy} onClick={() => void run()} />}
      <ActionError error={error} />
    </>
  );
}

const HELP: Partial<Record<ErrorCode, string>> = {
  action_not_available: 'The data on this screen were out of date. The page loads them again.',
  not_started: 'Try again later.',
};

/** The error of an action, shown beside the data that it concerns. */
export function ActionError({ error, about }: { error: ApiError | null; about?: string | undefined }) {
  if (error === null) return null;
  return (
    <div class="notice bad" role="alert">
      <div class="cluster">
        <span>
          {about !== undefined && <strong>{about}: </strong>}
          {error.message} {error.code !== null && HELP[error.code]}
          {error.retryAfterSeconds !== null && ` Try again in ${error.retryAfterSeconds} s.`}
        </span>
        <Reference of={error} />
        {error.status === 412 && can('postRegulatorSession') && (
          <ButtonLink href={to('session')}>Log in with the regulator</ButtonLink>
        )}
      </div>
      <Button kind="quiet" onClick={forgetFailure} aria-label="Close this message">
        ✕
      </Button>
    </div>
  );
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

const RETRY = 'retry ';

/** Drawn only when the service offers a retry and the person may request it. `RetryError` shows its failure. */
export function RetryButton({ of }: { of: Pick<Submission, 'id' | 'product_id' | 'actions'> }) {
  const { id, product_id, actions } = of;
  const [process] = actions;
  const retry = useAction(
    async () => process && call('postSubmissionAction', { params: { id, process } }),
    RETRY + id,
    product_id,
  );
  if (process === undefined || !can('postSubmissionAction')) return null;
  return (
    <Button busy={retry.busy} onClick={() => void retry.run()} aria-label={`Retry ${product_id}`}>
      Retry
    </Button>
  );
}

/** The failure of the last retry of a submission. @param of its id; by default of any, with the name of its product */
export function RetryError({ of }: { of?: number }) {
  if (failed.value === null) return null;
  const { action, about, error } = failed.value;
  if (of === undefined)
    return String(action).startsWith(RETRY) ? <ActionError error={error} about={about} /> : null;
  return action === RETRY + of ? <ActionError error={error} /> : null;
}
