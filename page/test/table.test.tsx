// @vitest-environment happy-dom
/** The table of any length: it draws few rows, and the keyboard reaches all of them. */
import { cleanup, fireEvent, render } from '@testing-library/preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Column, VirtualTable } from '../ui/virtual-table.tsx';

interface Row {
  id: number;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: 'id', title: 'ID', width: '1fr', cell: ({ id }) => `row ${id}` },
];
const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id }));

beforeEach(() => {
  // The DOM has no layout here: the frame gets the height of ten rows.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(480);
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(800);
});
afterEach(cleanup);

const table = (rows: readonly Row[], rest: { onOpen?: (row: Row) => void; onEnd?: () => void } = {}) => (
  <VirtualTable label="Rows" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} {...rest} />
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

it('the last rows request the next page when they come into sight, and not before', () => {
  const onEnd = vi.fn();
  const { rerender } = render(table(ROWS, { onEnd }));
  expect(onEnd).not.toHaveBeenCalled();
  rerender(table(ROWS.slice(0, 5), { onEnd }));
  expect(onEnd).toHaveBeenCalledOnce();
});
