import Table from 'cli-table3';
import { oneLine } from './screen.ts';

/** Borders and padding of a column. */
const AROUND_CELL = 3;
/** Narrower than that, the last column had better wrap with the terminal. */
const NARROWEST = 20;

/**
 * A table whose last column is wrapped where the terminal ends. What stands in the cells came from files and
 * servers: control characters are shown, not sent to the terminal.
 *
 * @param width in characters; not given: as wide as needed
 */
export function tableOf(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width?: number,
): string {
  const printable = rows.map((row) => row.map(oneLine));
  const style = { head: [], border: [], compact: true };
  const table = new Table({ head: [...head], style, ...wrapping(head, printable, width) });
  for (const row of printable) table.push(row);
  return table.toString();
}

function wrapping(head: readonly string[], rows: string[][], width: number | undefined) {
  if (width === undefined) return {};
  const longest = (column: number) =>
    rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), head[column]?.length ?? 0);
  const widths = head.map((_title, column) => longest(column) + AROUND_CELL - 1);
  const last = widths.pop() ?? 0;
  const left = width - widths.reduce((sum, one) => sum + one + 1, 1) - 1;
  return { colWidths: [...widths, Math.max(Math.min(last, left), NARROWEST)], wordWrap: true };
}
