/** CSV tables for spreadsheets. Pure. */
import { type Options, stringify } from 'csv-stringify/sync';

/** The default is a line feed; RFC 4180 has both. */
export type LineEnd = 'unix' | 'windows';

/** The column names, after a byte order mark. Without the mark a spreadsheet does not read the file as UTF-8. */
export function csvHeader(columns: readonly string[], lineEnd: LineEnd = 'unix'): string {
  return stringify([], { bom: true, header: true, ...formOf(columns, lineEnd) });
}

/** One line per row. A cell that a spreadsheet would read as a formula gets a leading apostrophe. */
export function csvLines(
  columns: readonly string[],
  rows: readonly object[],
  lineEnd: LineEnd = 'unix',
): string {
  return stringify([...rows], { escape_formulas: true, ...formOf(columns, lineEnd) });
}

/** The library quotes only cells that hold its own line end. Many readers accept either character as a line end. */
function formOf(columns: readonly string[], lineEnd: LineEnd): Options {
  return { columns: [...columns], record_delimiter: lineEnd, quoted_match: /[\r\n]/ };
}
