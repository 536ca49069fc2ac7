/** The login with the regulator: it mails a code, and the code makes the session. On the screen, and in the dialog of an upload. */
import { useState } from 'preact/hooks';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { CODE_LENGTH, CodeField } from './code-field.tsx';
import { type Session, tellOfChange } from './regulator-state.ts';
import css from './session.module.css';
import { useAction } from './use-action.ts';

interface SessionLoginProps {
  session: Session;
  /** The code was right. */
  onActive?(): void;
}

export function SessionLogin({ session, onActive }: SessionLoginProps) {
  // As the last answer said, until what is polled says so, too.
  const [known, setKnown] = useState<{ over: Session; now: Session } | null>(null);
  const { status } = known?.over === session ? known.now : session;
  const learn = (now: Session) => {
    setKnown({ over: session, now });
    tellOfChange();
  };
  const verify = useAction(async (code: string) => {
    try {
      learn(await call('postRegulatorSessionVerification', { body: { code } }));
    } catch (error) {
      // The fifth wrong one has ended the login.
      tellOfChange();
      throw error;
    }
    onActive?.();
  });
  const logIn = useAction(async () => {
    learn(await call('postRegulatorSession'));
    // It was about another code.
    verify.clear();
  });
  if (status === 'active') return null;
  if (status === 'awaiting_verification_code')
    return (
      <div class={css.sessionLogin}>
        <p>
          The regulator has mailed a code of {CODE_LENGTH} digits to the address that this service is known
          by.
        </p>
        <CodeField
          label="Verification code"
          busy={verify.busy}
          fault={isWrongCode(verify.error) ? verify.error : null}
          onComplete={(code) => void verify.run(code)}
        />
        {verify.error !== null && !isWrongCode(verify.error) && <ErrorState error={verify.error} />}
        {logIn.error !== null && <ErrorState error={logIn.error} />}
        <p>
          <Button busy={logIn.busy} onClick={() => void logIn.run()}>
            Mail another code
          </Button>
        </p>
      </div>
    );
  return (
    <div class={css.sessionLogin}>
      {isWrongCode(verify.error) && (
        <p class="notice bad" role="alert">
          After five wrong codes a login ends. Log in again for another one.
        </p>
      )}
      <p>The regulator will mail a code, which is asked for next.</p>
      {logIn.error !== null && <ErrorState error={logIn.error} />}
      <p>
        <Button kind="primary" busy={logIn.busy} onClick={() => void logIn.run()}>
          Log in with the regulator
        </Button>
      </p>
    </div>
  );
}

const isWrongCode = (error: ApiError | null): error is ApiError => error?.code === 'wrong_verification_code';
