// @vitest-environment happy-dom
/**
 * Controls that several screens share: a table of any length, the code of the regulator, the retry of a submission,
 * questions, searches.
 */
import { cleanup, fireEvent, render, waitFor } from '@testing-library/preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { login } from '../auth/login.ts';
import { SessionLogin } from '../screens/session/session-login.tsx';
import { ActionButton, RetryButton, RetryError } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/dialog.tsx';
import { SearchInput } from '../ui/field.tsx';
import { type Column, VirtualTable } from '../ui/virtual-table.tsx';

let sent: Request[];
let answer: () => Response;

beforeEach(() => {
  sent = [];
  login.value = { state: 'in', person: { name: 'operator', permissions: new Set(['imports:write']) } };
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(request);
    return answer();
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const refusal = (status: number, code: string, message: string) => () =>
  Response.json({ status: 'error', message, data: { code } }, { status });

it('the code of the regulator has one field, which the browser may fill in, and a wrong code empties it', async () => {
  answer = refusal(400, 'wrong_verification_code', 'Wrong. 4 attempts left.');
  const session = { status: 'awaiting_verification_code', expires_at: null } as const;
  const { getByLabelText, getByRole, findByRole } = render(<SessionLogin session={session as never} />);
  const field = getByLabelText('Verification code') as HTMLInputElement;
  expect([field.autocomplete, field.inputMode]).toEqual(['one-time-code', 'numeric']);
  expect(document.activeElement).toBe(field);
  // A code with blanks, as in mails.
  fireEvent.input(field, { target: { value: ' 123 456 ' } });
  fireEvent.click(getByRole('button', { name: 'Log in' }));
  expect((await findByRole('alert')).textContent).toBe('Wrong. 4 attempts left.');
  expect(await sent[0]?.json()).toEqual({ code: '123456' });
  await waitFor(() => expect([field.value, document.activeElement]).toEqual(['', field]));
  expect(field.getAttribute('aria-invalid')).toBe('true');
});

it('a submission can be retried where the service offers it, and the error is reported', async () => {
  const { permission } = (await import('../../src/contract/operations.ts')).OPERATIONS.postSubmissionAction;
  login.value = { state: 'in', person: { name: 'operator', permissions: new Set([permission]) } };
  answer = refusal(409, 'already_queued', 'In progress.');
  const submission = { id: 3, product_id: '99962-26-00001', actions: ['regulator-insert' as const] };
  const { getByRole, getAllByRole, findAllByRole, rerender, queryByRole } = render(
    <>
      <RetryButton of={submission} />
      <RetryError of={3} />
      <RetryError of={4} />
      <RetryError />
    </>,
  );
  fireEvent.click(getByRole('button', { name: 'Retry 99962-26-00001' }));
  await findAllByRole('alert');
  // That of its submission, and that of any.
  expect(getAllByRole('alert').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('In progress.'),
    expect.stringContaining('In progress.'),
  ]);
  expect(new URL(sent[0]?.url ?? '').pathname).toBe('/regulator/submissions/3/actions/regulator-insert');
  rerender(<RetryButton of={{ ...submission, actions: [] }} />);
  expect(queryByRole('button')).toBeNull();
});

it('a button keeps the focus while its action runs, and starts it once', async () => {
  const run = vi.fn();
  const button = (busy: boolean) => (
    <Button type="submit" busy={busy} onClick={run}>
      Save
    </Button>
  );
  const { getByRole, rerender } = render(button(false));
  getByRole('button').focus();
  rerender(button(true));
  expect(document.activeElement).toBe(getByRole('button'));
  expect(getByRole('button').matches('[aria-disabled="true"]:not([disabled])')).toBe(true);
  expect(fireEvent.click(getByRole('button'))).toBe(false);
  expect(run).not.toHaveBeenCalled();
});

it('a question that is opened again has no error of an earlier answer', async () => {
  const { getByRole, findByText, queryByText } = render(
    <ConfirmButton label="Delete" question="Sure?" keep="Keep" onConfirm={() => Promise.reject(new Error())}>
      It is gone then.
    </ConfirmButton>,
  );
  fireEvent.click(getByRole('button', { name: 'Delete' }));
  fireEvent.click(getByRole('dialog').querySelector('footer .danger') as HTMLElement);
  await findByText('There is no connection to the service.');
  fireEvent.click(getByRole('button', { name: 'Keep' }));
  fireEvent.click(getByRole('button', { name: 'Delete' }));
  expect(queryByText('There is no connection to the service.')).toBeNull();
});

it('a question that is closed during its action leaves the error of a later answer beside its button', async () => {
  const answer = Promise.withResolvers<void>();
  const { getByRole, findByRole, queryByRole } = render(
    <ConfirmButton label="Delete" question="Sure?" keep="Keep" onConfirm={() => answer.promise}>
      It is gone then.
    </ConfirmButton>,
  );
  fireEvent.click(getByRole('button', { name: 'Delete' }));
  fireEvent.click(getByRole('dialog').querySelector('footer .danger') as HTMLElement);
  fireEvent.click(getByRole('button', { name: 'Keep' }));
  answer.reject(new Error());
  expect((await findByRole('alert')).textContent).toContain('Check the network connection');
  expect(queryByRole('dialog')).toBeNull();
});

it('the failure of an action is shown until another one starts, also when its button is withdrawn', async () => {
  const fail = () => Promise.reject(new Error());
  const buttons = (offered: boolean) => (
    <>
      <ActionButton offered={offered} action={fail}>
        Fail
      </ActionButton>
      <ActionButton action={() => new Promise(() => {})}>Wait</ActionButton>
    </>
  );
  const { getByRole, findByRole, queryByRole, rerender } = render(buttons(true));
  fireEvent.click(getByRole('button', { name: 'Fail' }));
  await findByRole('alert');
  rerender(buttons(false));
  expect(queryByRole('button', { name: 'Fail' })).toBeNull();
  getByRole('alert');
  fireEvent.click(getByRole('button', { name: 'Wait' }));
  expect(queryByRole('alert')).toBeNull();
});

it('a search of an input that was drawn again meanwhile keeps its other filters', async () => {
  const searches: string[] = [];
  const search = (filter: string) => (
    <SearchInput value="" onSearch={(text) => searches.push(`${text} with ${filter}`)} />
  );
  const { getByRole, rerender } = render(search('no filter'));
  fireEvent.input(getByRole('searchbox'), { target: { value: 'summer' } });
  rerender(search('a filter'));
  await waitFor(() => expect(searches).toEqual(['summer with a filter']));
});

it('a search keeps the blank at the end of what a person types, and takes a text from the address', async () => {
  const searches: string[] = [];
  const search = (value: string) => <SearchInput value={value} onSearch={(text) => searches.push(text)} />;
  const { getByRole, rerender } = render(search(''));
  const input = getByRole('searchbox') as HTMLInputElement;
  fireEvent.input(input, { target: { value: 'summer ' } });
  await waitFor(() => expect(searches).toEqual(['summer']));
  rerender(search('summer'));
  expect(input.value).toBe('summer ');
  fireEvent.input(input, { target: { value: 'summer 2026' } });
  fireEvent.keyDown(input, { key: 'Enter' });
  expect(searches).toEqual(['summer', 'summer 2026']);
  rerender(search('summer 2026'));
  rerender(search(''));
  await waitFor(() => expect(input.value).toBe(''));
});

describe('the table', () => {
  interface Row {
    id: number;
  }

  const COLUMNS: readonly Column<Row>[] = [{ title: 'ID', width: '1fr', cell: ({ id }) => `row ${id}` }];
  const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id }));

  beforeEach(() => {
    // The DOM has no layout here: the frame gets the height of ten rows.
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(480);
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800);
    document.documentElement.style.fontSize = '14px';
  });

  const table = (rows: readonly Row[], rest: { onOpen?: (row: Row) => void; onEnd?: () => void } = {}) => (
    <VirtualTable
      label="Rows"
      columns={COLUMNS}
      rows={rows}
      keyOf={({ id }) => id}
      rowHeight={48}
      {...rest}
    />
  );

  it('the table draws only the rows in sight, and states the number of all rows', () => {
    const { getByRole, getAllByRole } = render(table(ROWS));
    expect(getByRole('grid', { name: 'Rows' }).getAttribute('aria-rowcount')).toBe('10001');
    const drawn = getAllByRole('row').length;
    expect(drawn).toBeGreaterThan(10);
    expect(drawn).toBeLessThan(50);
  });

  it('one row has the focus; arrows move it and Enter opens it', () => {
    const onOpen = vi.fn();
    const { getByText, container } = render(table(ROWS, { onOpen }));
    const rowOf = (id: number) => getByText(`row ${id}`).closest<HTMLElement>('[role="row"]');
    expect(container.querySelectorAll('[tabindex="0"]')).toHaveLength(1);
    const first = rowOf(0);
    if (!first) throw new Error('no row');
    fireEvent.keyDown(first, { key: 'ArrowDown' });
    expect(rowOf(1)?.tabIndex).toBe(0);
    expect(first.tabIndex).toBe(-1);
    const second = rowOf(1);
    if (second) fireEvent.keyDown(second, { key: 'Enter' });
    expect(onOpen).toHaveBeenCalledExactlyOnceWith({ id: 1 });
  });

  it('Enter opens the focused row after others have come above it', () => {
    const onOpen = vi.fn();
    const { getByText, rerender } = render(table(ROWS.slice(5, 9), { onOpen }));
    const row = getByText('row 6').closest<HTMLElement>('[role="row"]');
    row?.focus();
    rerender(table(ROWS.slice(3, 9), { onOpen }));
    expect(document.activeElement).toBe(row);
    fireEvent.keyDown(row as HTMLElement, { key: 'Enter' });
    expect(onOpen).toHaveBeenCalledExactlyOnceWith({ id: 6 });
    fireEvent.keyDown(row as HTMLElement, { key: 'ArrowDown' });
    expect(document.activeElement?.textContent).toBe('row 7');
  });

  it('a row in sight takes the focus after the last one has been scrolled out', async () => {
    const { getByRole, container, findByText } = render(table(ROWS));
    const frame = getByRole('grid');
    frame.scrollTop = 48_000;
    fireEvent.scroll(frame);
    await findByText('row 1000');
    expect(container.querySelectorAll('[tabindex="0"]')).toHaveLength(1);
  });

  it('the last rows request the next page when they come into sight, and not before', () => {
    const onEnd = vi.fn();
    const { rerender } = render(table(ROWS, { onEnd }));
    expect(onEnd).not.toHaveBeenCalled();
    rerender(table(ROWS.slice(0, 5), { onEnd }));
    expect(onEnd).toHaveBeenCalledOnce();
  });
});
