import Table from 'cli-table3';
import { oneLine } from './screen.ts';

/** Borders and padding of a column. */
const AROUND_CELL = 3;
/** If the last column would be narrower, the terminal wraps the lines instead. */
const NARROWEST = 20;

/**
 * A table whose last column is wrapped at the terminal's width. Cells come from files and
 * servers: control characters are shown, not sent to the terminal.
 *
 * @param width in characters; without it the table is as wide as needed
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
