import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

interface DialogProps {
  title: string;
  /** Called after Escape, the cross, or a click beside the dialog. */
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
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has Escape, which cancels
    <dialog
      ref={element}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === element.current && onClose()}
    >
      <header class="cluster apart">
        <h2 id={heading}>{title}</h2>
        <Button kind="quiet" onClick={onClose} aria-label="Close">
          ✕
        </Button>
      </header>
      <div class="content stack">{children}</div>
      {actions && <footer class="cluster end">{actions}</footer>}
    </dialog>
  );
}
