/** What stands in the way of an import: nobody is logged in with the regulator. Whoever may log in does it right here. */
import { can } from '../../auth/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PolledContent } from '../../ui/states.tsx';
import { useSession } from './regulator-state.ts';
import css from './session.module.css';
import { SessionLogin } from './session-login.tsx';

interface SessionDialogProps {
  onClose(): void;
  /** There is a session, whoever has logged in. */
  onActive(): void;
}

export function SessionDialog({ onClose, onActive }: SessionDialogProps) {
  const polled = useSession();
  return (
    <Dialog title="Log in with the regulator" onClose={onClose}>
      <p class={css.dialogLead}>
        The service takes in packages only while it is logged in with the regulator. The upload goes on as
        soon as it is.
      </p>
      <PolledContent polled={polled}>
        {(session) =>
          session.status === 'active' ? (
            <p>
              There is a session now.{' '}
              <Button kind="primary" onClick={onActive}>
                Go on
              </Button>
            </p>
          ) : (
            <SessionLogin session={session} onActive={onActive} />
          )
        }
      </PolledContent>
    </Dialog>
  );
}

/** Whether the person may do all that the dialog asks for. */
export const mayLogIn = (): boolean =>
  can('getRegulatorSession') && can('postRegulatorSession') && can('postRegulatorSessionVerification');
