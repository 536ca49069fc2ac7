/** The login with the regulator: the regulator mails a code, and the code opens the session. */
import { useEffect, useRef } from 'preact/hooks';
import type { RegulatorSession } from '../../../src/contract/types.ts';
import { type ApiError, call } from '../../api/client.ts';
import { usePolled } from '../../api/use-data.ts';
import { useAction } from '../../ui/actions.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, submittedText } from '../../ui/field.tsx';
import { ErrorState, LoadedContent } from '../../ui/states.tsx';
import css from './session.module.css';

interface SessionLoginProps {
  session: RegulatorSession;
  /** The code was correct. */
  onActive?(): void;
}

export function SessionLogin({ session: { status }, onActive }: SessionLoginProps) {
  const verify = useAction(async (code: string) => {
    await call('postRegulatorSessionVerification', { body: { code } });
    onActive?.();
  });
  const logIn = useAction(() => call('postRegulatorSession'));
  const isWrongCode = verify.error?.code === 'wrong_verification_code';
  if (status === 'awaiting_verification_code')
    return (
      <div class="stack">
        <p>The regulator has mailed a verification code to the address of this service.</p>
        <CodeForm
          busy={verify.busy}
          fault={isWrongCode ? verify.error : null}
          onSubmit={(code) => void verify.run(code)}
        />
        {verify.error !== null && !isWrongCode && <ErrorState error={verify.error} />}
        {logIn.error !== null && <ErrorState error={logIn.error} />}
        <p>
          <Button kind="quiet" busy={logIn.busy} onClick={() => void logIn.run()}>
            Mail another code
          </Button>
        </p>
      </div>
    );
  return (
    <div class="stack">
      {isWrongCode && (
        <p class="notice bad" role="alert">
          The fifth wrong code has ended the login. Log in again for a new code.
        </p>
      )}
      <p>The regulator mails a verification code for the next step.</p>
      {logIn.error !== null && <ErrorState error={logIn.error} />}
      <p>
        <Button kind="primary" busy={logIn.busy} onClick={() => void logIn.run()}>
          Log in with the regulator
        </Button>
      </p>
    </div>
  );
}

interface CodeFormProps {
  busy: boolean;
  /** The error of the last code; an error empties the field. */
  fault: ApiError | null;
  onSubmit(code: string): void;
}

function CodeForm({ busy, fault, onSubmit }: CodeFormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (fault !== null) form.current?.reset();
    form.current?.querySelector('input')?.focus();
  }, [fault]);
  const submit = (event: SubmitEvent) => {
    // Mails contain blanks in codes.
    const code = submittedText(event, 'code').replace(/\s/g, '');
    if (code !== '') onSubmit(code);
  };
  return (
    <form class={`stack ${css.code}`} ref={form} onSubmit={submit}>
      <Field label="Verification code" fault={fault?.message ?? null}>
        <input name="code" inputMode="numeric" autoComplete="one-time-code" />
      </Field>
      <Button kind="primary" type="submit" busy={busy}>
        Log in
      </Button>
    </form>
  );
}

interface SessionDialogProps {
  onClose(): void;
  /** Called when a session exists, even if another person logged in. */
  onActive(): void;
}

/** The login for an upload that needs a session. */
export function SessionDialog({ onClose, onActive }: SessionDialogProps) {
  const polled = usePolled('getRegulatorSession', {});
  return (
    <Dialog title="Log in with the regulator" onClose={onClose}>
      <p class="muted">
        The service accepts packages only during a session with the regulator. The upload continues after the
        login.
      </p>
      <LoadedContent of={polled}>
        {(session) =>
          session.status === 'active' ? (
            <p>
              The session is active.{' '}
              <Button kind="primary" onClick={onActive}>
                Continue
              </Button>
            </p>
          ) : (
            <SessionLogin session={session} onActive={onActive} />
          )
        }
      </LoadedContent>
    </Dialog>
  );
}
