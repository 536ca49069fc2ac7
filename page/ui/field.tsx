/** Inputs of forms and filters. */
import { type ComponentChildren, cloneElement, type VNode } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';

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
        <span class="muted small" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault !== null && (
        <span class="tone bad" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}

interface ChoiceProps {
  label: string;
  value: string | number | null;
  /** Values with their texts. A null value is the empty one. */
  options: readonly (readonly [value: string | number | null, text: string])[];
  onChoose(value: string): void;
}

/** One of some values, with its label. */
export function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <Field label={label}>
      <select value={value ?? ''} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map(([one, text]) => (
          <option key={one} value={one ?? ''}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The entries of a submitted form, by the names of its inputs. The page itself sends them. */
export function entriesOf(event: SubmitEvent): FormData {
  event.preventDefault();
  return new FormData(event.currentTarget as HTMLFormElement);
}

/** The trimmed text of an input of a submitted form, by its name. */
export const submittedText = (event: SubmitEvent, name: string): string =>
  String(entriesOf(event).get(name) ?? '').trim();

const PAUSE_MS = 250;

interface SearchInputProps {
  value: string;
  onSearch(text: string): void;
  placeholder?: string;
  /** From `Field`. */
  id?: string;
}

/** Searches when typing pauses, and at Enter. The arrow down leads to the rows of the table below. */
export function SearchInput({ value, onSearch, ...rest }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The value that the typed text belongs to. */
  const known = useRef(value);
  /** The input may be drawn again while the timer runs. */
  const latest = useRef(onSearch);
  latest.current = onSearch;

  useLayoutEffect(() => {
    if (value === known.current || input.current === null) return;
    // The clear button or the browser history has changed the text.
    clearTimeout(timer.current);
    known.current = value;
    input.current.value = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  function search(text: string): void {
    clearTimeout(timer.current);
    known.current = text.trim();
    latest.current(known.current);
  }
  function onInput({ currentTarget }: { currentTarget: HTMLInputElement }): void {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(currentTarget.value), PAUSE_MS);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Enter') search((event.target as HTMLInputElement).value);
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    document.querySelector<HTMLElement>('main [role="row"][tabindex="0"]')?.focus();
  }
  return (
    <input
      type="search"
      autoComplete="off"
      {...rest}
      ref={input}
      defaultValue={value}
      onInput={onInput}
      onKeyDown={onKeyDown}
    />
  );
}

type DayInputProps = { value: string; onDay(day: string): void; id?: string };

/**
 * The day of a filter, as `2026-01-31`. While a person types the year 2026, the browser reports the years 0002, 0020
 * and 0202.
 */
export function DayInput({ value, onDay, ...rest }: DayInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (input.current && input.current.value !== value) input.current.value = value;
  }, [value]);
  return (
    <input
      {...rest}
      ref={input}
      type="date"
      min="1970-01-01"
      max="9998-12-31"
      onChange={({ currentTarget: { validity, value } }) => validity.valid && onDay(value)}
    />
  );
}
