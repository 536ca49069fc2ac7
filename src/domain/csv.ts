/** Tables as CSV that people open in a spreadsheet. Pure. */
import { type Options, stringify } from 'csv-stringify/sync';

/** By default a line feed; RFC 4180 has both. */
type LineEnd = 'unix' | 'windows';

/** The names of the columns, behind a byte order mark: without one a spreadsheet takes UTF-8 for something else. */
export function csvHeader(columns: readonly string[], lineEnd: LineEnd = 'unix'): string {
  return stringify([], { bom: true, header: true, ...formOf(columns, lineEnd) });
}

/** A line for each row. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
export function csvLines(
  columns: readonly string[],
  rows: readonly object[],
  lineEnd: LineEnd = 'unix',
): string {
  return stringify([...rows], { escape_formulas: true, ...formOf(columns, lineEnd) });
}

/** The library quotes cells that hold the end of a line as it writes it; for many a reader either character ends one. */
function formOf(columns: readonly string[], lineEnd: LineEnd): Options {
  return { columns: [...columns], record_delimiter: lineEnd, quoted_match: /[\r\n]/ };
}
