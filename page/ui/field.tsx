/** Inputs of forms and filters. */
import { type ComponentChildren, cloneElement, type VNode } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

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

const PAUSE_MS = 250;

interface SearchInputProps {
  value: string;
  onSearch(text: string): void;
  /** The key `/` focuses it from anywhere on the screen. */
  hasShortcut?: boolean;
  /** The arrow down leaves it for the results. */
  onLeave?(): void;
  placeholder?: string;
  /** From `Field`. */
  id?: string;
}

export function SearchInput({ value, onSearch, hasShortcut, onLeave, ...rest }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    // The clear button or the browser history has changed the text.
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!hasShortcut) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [hasShortcut]);

  function type(text: string): void {
    setTyped(text);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter') {
      clearTimeout(timer.current);
      onSearch(typed.trim());
    } else if (event.key === 'ArrowDown' && onLeave) {
      event.preventDefault();
      onLeave();
    }
  }

  return (
    <input
      ref={input}
      type="search"
      autoComplete="off"
      aria-keyshortcuts={hasShortcut ? '/' : undefined}
      {...rest}
      value={typed}
      onInput={(event) => type(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  );
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, dialog') !== null;
}
