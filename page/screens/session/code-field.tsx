/**
 * The verification code, a box for each digit. Typing goes on by itself, a pasted or filled-in code spreads over the
 * boxes, arrows move, backspace takes back. The last digit hands the code over.
 */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import css from './session.module.css';

export const CODE_LENGTH = 6;

interface CodeFieldProps {
  label: string;
  /** Once, when every box has its digit. */
  onComplete(code: string): void;
  /** What is wrong with the last one: another one empties the boxes. A new object each time, for the same words may come twice. */
  fault?: { message: string } | null;
  /** The code is being checked. */
  busy?: boolean;
}

const EMPTY: readonly string[] = Array.from({ length: CODE_LENGTH }, () => '');
const POSITIONS = EMPTY.map((_, index) => index);

export function CodeField({ label, onComplete, fault = null, busy = false }: CodeFieldProps) {
  const id = useId();
  const [digits, setDigits] = useState(EMPTY);
  const boxes = useRef<(HTMLInputElement | null)[]>([]);
  const focus = (index: number) => {
    const box = boxes.current[Math.min(Math.max(index, 0), CODE_LENGTH - 1)];
    box?.focus();
    box?.select();
  };

  useEffect(() => {
    if (fault !== null) setDigits(EMPTY);
    focus(0);
  }, [fault]);

  function fill(from: number, text: string): void {
    const typed = text.replace(/\D/g, '');
    // A whole code begins at the first box, wherever it is dropped.
    const start = typed.length >= CODE_LENGTH ? 0 : from;
    const given = typed.slice(0, CODE_LENGTH - start);
    const next = digits.map((old, index) => given[index - start] ?? old);
    setDigits(next);
    if (given === '') return;
    focus(start + given.length);
    if (next.every((digit) => digit !== '')) onComplete(next.join(''));
  }

  function clear(index: number): void {
    setDigits(digits.map((old, other) => (other === index ? '' : old)));
  }

  function onInput(index: number, box: HTMLInputElement): void {
    const old = digits[index] ?? '';
    const { value } = box;
    if (value === '') {
      clear(index);
      return;
    }
    // Typed behind or in front of the digit that is there: the new one takes its place.
    const isOverwritten = value.length === 2 && old !== '' && value.includes(old);
    fill(index, isOverwritten ? value.replace(old, '') : value);
    // What is no digit changes nothing that would be drawn anew.
    if (!/\d/.test(value)) box.value = old;
  }

  function onKeyDown(event: KeyboardEvent, index: number): void {
    const targets: Record<string, number> = {
      ArrowLeft: index - 1,
      ArrowRight: index + 1,
      Home: 0,
      End: CODE_LENGTH - 1,
    };
    const target = targets[event.key];
    if (target !== undefined) {
      event.preventDefault();
      focus(target);
    } else if (event.key === 'Backspace') {
      event.preventDefault();
      const isEmpty = digits[index] === '';
      const cleared = isEmpty ? Math.max(index - 1, 0) : index;
      clear(cleared);
      focus(cleared);
    }
  }

  return (
    <fieldset class={css.codeField} aria-describedby={fault === null ? undefined : `${id}-fault`}>
      <legend>{label}</legend>
      <div class={css.codeBoxes}>
        {POSITIONS.map((index) => (
          <input
            key={index}
            ref={(box) => {
              boxes.current[index] = box;
            }}
            type="text"
            inputMode="numeric"
            autoComplete={index === 0 ? 'one-time-code' : 'off'}
            aria-label={`Digit ${index + 1} of ${CODE_LENGTH}`}
            aria-invalid={fault === null ? undefined : 'true'}
            readOnly={busy}
            value={digits[index]}
            onInput={(event) => onInput(index, event.currentTarget)}
            onKeyDown={(event) => !busy && onKeyDown(event, index)}
            onPaste={(event) => {
              event.preventDefault();
              if (!busy) fill(index, event.clipboardData?.getData('text') ?? '');
            }}
            onFocus={(event) => event.currentTarget.select()}
          />
        ))}
      </div>
      <p class={css.codeNote} id={`${id}-fault`} role="alert">
        {busy ? '' : fault?.message}
      </p>
    </fieldset>
  );
}
