import { type ComponentChildren, cloneElement, type VNode } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** The error of its value. */
  fault?: string | null;
  /** One input, select or textarea. */
  children: VNode<Record<string, unknown>>;
}

/** An input with its label, hint and error, connected for screen readers. */
export function Field({ label, hint, fault = null, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, fault !== null && `${id}-fault`].filter(Boolean).join(' ');
  const input = cloneElement(children, {
    id,
    'aria-invalid': fault === null ? undefined : 'true',
    'aria-describedby': described || undefined,
  });
  return (
    <div class="field">
      <label htmlFor={id}>{label}</label>
      {input}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault !== null && (
        <span class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}

/** The trimmed text of an input, by its name, of a submitted form. The page itself sends it. */
export function submittedText(event: SubmitEvent, name: string): string {
  event.preventDefault();
  return String(new FormData(event.currentTarget as HTMLFormElement).get(name) ?? '').trim();
}
