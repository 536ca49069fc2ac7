/** CSV tables for spreadsheets (RFC 4180). Pure. */
import { type Options, stringify } from 'csv-stringify/sync';

/** The column names, after a byte order mark. Without the mark a spreadsheet does not read the file as UTF-8. */
export function csvHeader(columns: readonly string[]): string {
  return stringify([], { bom: true, header: true, ...formOf(columns) });
}

/** One line per row. A cell that a spreadsheet would read as a formula gets a leading apostrophe. */
export function csvLines(columns: readonly string[], rows: readonly object[]): string {
  return stringify([...rows], { escape_formulas: true, ...formOf(columns) });
}

/** The library quotes only cells that hold its own separators. Many readers separate at these characters as well. */
function formOf(columns: readonly string[]): Options {
  return { columns: [...columns], record_delimiter: 'windows', quoted_match: /[;\t\r\n]/ };
}
