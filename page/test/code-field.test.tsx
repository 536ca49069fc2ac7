// @vitest-environment happy-dom
/** The field for the verification code: six boxes that behave like one. */
import { cleanup, fireEvent, render } from '@testing-library/preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CodeField } from '../screens/session/code-field.tsx';

const onComplete = vi.fn();
beforeEach(() => onComplete.mockReset());
afterEach(cleanup);

const field = (rest: { fault?: { message: string } | null; busy?: boolean } = {}) => (
  <CodeField label="Verification code" onComplete={onComplete} {...rest} />
);

function show(rest = {}) {
  const view = render(field(rest));
  const boxes = view.getAllByRole('textbox') as HTMLInputElement[];
  const box = (index: number) => boxes[index] as HTMLInputElement;
  return {
    ...view,
    box,
    type: (index: number, value: string) => fireEvent.input(box(index), { target: { value } }),
    press: (index: number, key: string) => fireEvent.keyDown(box(index), { key }),
    paste: (index: number, text: string) =>
      fireEvent.paste(box(index), { clipboardData: { getData: () => text } }),
    code: () => boxes.map(({ value }) => value).join('|'),
    focused: () => boxes.indexOf(document.activeElement as HTMLInputElement),
  };
}

it('begins at the first box, goes on with each digit, and hands the code over once', () => {
  const { type, focused, code } = show();
  expect(focused()).toBe(0);
  for (const [index, digit] of [...'12345'].entries()) {
    type(index, digit);
    expect(focused()).toBe(index + 1);
  }
  expect(onComplete).not.toHaveBeenCalled();
  type(5, '6');
  expect(code()).toBe('1|2|3|4|5|6');
  expect(onComplete).toHaveBeenCalledExactlyOnceWith('123456');
});

it('says what each box is, and that the browser may fill in a code', () => {
  const { getByRole, getByLabelText, box } = show();
  expect(getByRole('group', { name: 'Verification code' })).toBeTruthy();
  expect(getByLabelText('Digit 6 of 6')).toBe(box(5));
  expect(box(0).getAttribute('autocomplete')).toBe('one-time-code');
  expect(box(1).getAttribute('autocomplete')).toBe('off');
  expect(box(3).getAttribute('inputmode')).toBe('numeric');
});

it.each([
  ['as it is', 0, '123456'],
  ['with blanks, as mails have it', 0, ' 123 456\n'],
  ['into the middle', 3, '123456'],
])('spreads a pasted code over the boxes: %s', (_how, index, text) => {
  const { paste, code } = show();
  paste(index, text);
  expect(code()).toBe('1|2|3|4|5|6');
  expect(onComplete).toHaveBeenCalledExactlyOnceWith('123456');
});

it('spreads a code that the browser fills into the first box', () => {
  const { type } = show();
  type(0, '987654');
  expect(onComplete).toHaveBeenCalledExactlyOnceWith('987654');
});

it('takes a part of a code from the box where it is pasted', () => {
  const { paste, code, focused } = show();
  paste(2, '34');
  expect(code()).toBe('||3|4||');
  expect(focused()).toBe(4);
  expect(onComplete).not.toHaveBeenCalled();
});

it('takes no letters, and keeps the digit that was there', () => {
  const { type, paste, code, focused } = show();
  type(0, '7');
  type(0, '7x');
  type(1, 'x');
  paste(1, 'none');
  expect(code()).toBe('7|||||');
  expect(focused()).toBe(1);
});

it('puts a new digit in the place of the old one, typed in front of it or behind', () => {
  const { type, code } = show();
  type(0, '1');
  type(0, '12');
  expect(code()).toBe('2|||||');
  type(0, '32');
  expect(code()).toBe('3|||||');
  type(0, '33');
  expect(code()).toBe('3|||||');
});

it('moves by arrows, Home and End, and not beyond its ends', () => {
  const { press, focused } = show();
  press(0, 'ArrowLeft');
  expect(focused()).toBe(0);
  press(0, 'ArrowRight');
  expect(focused()).toBe(1);
  press(1, 'End');
  expect(focused()).toBe(5);
  press(5, 'ArrowRight');
  expect(focused()).toBe(5);
  press(5, 'Home');
  expect(focused()).toBe(0);
});

it('takes back by backspace: the digit of its box, then the one before', () => {
  const { type, press, code, focused } = show();
  type(0, '123');
  expect(focused()).toBe(3);
  press(3, 'Backspace');
  expect([code(), focused()]).toEqual(['1|2||||', 2]);
  press(2, 'Backspace');
  expect([code(), focused()]).toEqual(['1|||||', 1]);
  type(1, '9');
  press(1, 'Backspace');
  expect([code(), focused()]).toEqual(['1|||||', 1]);
});

it('empties itself for another try when the code was wrong, and says so', () => {
  const { paste, code, focused, rerender, getByRole, box } = show();
  paste(0, '123456');
  rerender(field({ busy: true }));
  expect(box(0).readOnly).toBe(true);
  paste(0, '654321');
  expect(onComplete).toHaveBeenCalledTimes(1);
  rerender(field({ fault: { message: 'Wrong. 4 tries left.' } }));
  expect([code(), focused()]).toEqual(['|||||', 0]);
  expect(getByRole('alert').textContent).toBe('Wrong. 4 tries left.');
  expect(box(0).getAttribute('aria-invalid')).toBe('true');
  paste(0, '111111');
  rerender(field({ fault: { message: 'Wrong. 4 tries left.' } }));
  expect(code()).toBe('|||||');
});
