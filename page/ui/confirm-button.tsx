import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorState } from './states.tsx';
import { useAction } from './use-action.ts';

interface ConfirmButtonProps {
  /** Of the button, and of the button that confirms. */
  label: string;
  kind?: 'default' | 'danger';
  question: string;
  /** Of the button that closes the dialog. */
  keep: string;
  /** False confirms without a question. */
  asks?: boolean;
  /** Its error is shown in the dialog. */
  onConfirm(): Promise<unknown>;
  /** The consequences. */
  children: ComponentChildren;
}

/** A button whose action needs a confirmation. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, kind = 'default', question, keep, asks = true, onConfirm, children } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const confirmed = useAction(() => onConfirm().then(close));
  return (
    <>
      <Button kind={kind} onClick={() => (asks ? setOpen(true) : void confirmed.run())}>
        {label}
      </Button>
      {isOpen && (
        <Dialog
          title={question}
          onClose={close}
          actions={
            <>
              <Button onClick={close}>{keep}</Button>
              <Button kind="danger" busy={confirmed.busy} onClick={() => void confirmed.run()}>
                {label}
              </Button>
            </>
          }
        >
          {children}
          {confirmed.error !== null && <ErrorState error={confirmed.error} />}
        </Dialog>
      )}
    </>
  );
}
