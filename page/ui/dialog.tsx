/** Questions in front of the screen. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ActionError, forgetFailure, useAction } from './actions.tsx';
import { Button } from './button.tsx';
import { entriesOf } from './field.tsx';
import { ErrorState } from './states.tsx';

interface DialogProps {
  title: string;
  /** Called after Escape, the cross, or a click beside the dialog in browsers that know `closedby`. */
  onClose(): void;
  /** The buttons at the end of the dialog. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** The dialog of the browser, which keeps and returns the focus. Open while it is rendered. */
export function Dialog({ title, onClose, actions, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    element.current?.setAttribute('closedby', 'any');
    element.current?.showModal();
  }, []);
  // An effect ends after the dialog is removed, and could no longer return the focus.
  useLayoutEffect(() => () => element.current?.close(), []);
  useEffect(() => element.current?.scrollTo({ top: 0 }), [title]);
  return (
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header class="cluster apart">
        <h2 id={heading} aria-live="polite">
          {title}
        </h2>
        <Button kind="quiet" onClick={onClose} aria-label="Close">
          ✕
        </Button>
      </header>
      <div class="content stack">{children}</div>
      {actions && <footer class="cluster end">{actions}</footer>}
    </dialog>
  );
}

interface ConfirmButtonProps {
  /** Text of the button, and of the button that confirms. */
  label: string;
  kind?: 'default' | 'danger';
  question: string;
  /** Text of the button that closes the dialog. */
  keep: string;
  /** The button opens no question. */
  disabled?: boolean;
  /** False while the consequences are being loaded: the button in the dialog waits for them. */
  isReady?: boolean;
  /**
   * Its error is shown in the dialog, or beside the button when the dialog is closed.
   *
   * @param entries by the names of its inputs
   */
  onConfirm(entries: FormData): Promise<unknown>;
  /** The consequences, and inputs if the action needs any. */
  children: ComponentChildren;
}

/** A button whose action needs a confirmation. An open question and its action stay as they were when it opened. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, kind = 'default', disabled = false, isReady = true } = props;
  const [asked, setAsked] = useState<ConfirmButtonProps | null>(null);
  const form = useId();
  const close = () => setAsked(null);
  const confirmed = useAction(async (entries: FormData) => asked?.onConfirm(entries).then(close));
  const ask = () => {
    forgetFailure();
    setAsked(props);
  };
  return (
    <>
      <Button kind={kind} disabled={disabled} onClick={ask}>
        {label}
      </Button>
      {asked === null ? (
        <ActionError error={confirmed.error} />
      ) : (
        <Dialog
          title={asked.question}
          onClose={close}
          actions={
            <>
              <Button onClick={close}>{asked.keep}</Button>
              <Button kind="danger" type="submit" form={form} busy={confirmed.busy} disabled={!isReady}>
                {asked.label}
              </Button>
            </>
          }
        >
          <form id={form} class="stack" onSubmit={(event) => void confirmed.run(entriesOf(event))}>
            {asked.children}
          </form>
          {confirmed.error !== null && <ErrorState error={confirmed.error} />}
        </Dialog>
      )}
    </>
  );
}
