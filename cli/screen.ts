/** The outputs and inputs of a command. */
import Table from 'cli-table3';
import { excerpt } from '../src/common/text.ts';

/** An output of a command: stdout for results, stderr for everything else. */
export interface Output {
  write(text: string): unknown;
  /** Whether it is a terminal, as in Node's streams. */
  isTTY?: boolean;
  /** Width of the terminal in characters. */
  columns?: number;
  /** Height of the terminal in lines. */
  rows?: number;
}

/** Input for secrets, typed or piped. */
export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

export interface Screen {
  stdout: Output;
  stderr: Output;
  /** Input for secrets; absent if nobody can enter them. */
  stdin?: Input;
}

/** Text from files and servers must neither move the cursor nor start a new line. */
export function oneLine(text: string): string {
  return excerpt(text, Number.POSITIVE_INFINITY);
}

/** A word of a command to paste: the shell reads it as one word, and runs nothing that is in it. */
export function shellWord(text: string): string {
  const printable = oneLine(text);
  return /^[\w./\\:-]+$/.test(printable) ? printable : `'${printable.replaceAll("'", `'\\''`)}'`;
}

/** Lines that are updated in place on a terminal. Elsewhere each line is written when it changes. */
interface LiveView {
  show(lines: readonly string[]): void;
  /** Keeps the last shown lines. Further output starts below them. */
  end(): void;
}

/** Height of a terminal that does not report one. */
const ROWS = 24;

export function createLiveView(output: Output): LiveView {
  return output.isTTY ? liveOnTerminal(output) : linesThatChange(output);
}

function liveOnTerminal(output: Output): LiveView {
  let shown = 0;
  return {
    show(lines) {
      const { rows = ROWS, columns = 80 } = output;
      // Lines that scroll off or are wrapped by the terminal cannot be overwritten.
      const room = Math.max(1, rows - 2);
      const fit = lines.slice(0, room).map((line) => oneLine(line).slice(0, columns - 1));
      const more = lines.length > room ? [`… and ${lines.length - room} more`] : [];
      const back = shown === 0 ? '' : `\u001b[${shown}A`;
      output.write(`${back}\u001b[0J${[...fit, ...more].join('\n')}\n`);
      shown = fit.length + more.length;
    },
    end() {
      shown = 0;
    },
  };
}

function linesThatChange(output: Output): LiveView {
  let before = new Set<string>();
  return {
    show(lines) {
      for (const line of lines) if (!before.has(line)) output.write(`${oneLine(line)}\n`);
      before = new Set(lines);
    },
    end: () => {},
  };
}

/** Borders and padding of a column. */
const AROUND_CELL = 3;
/** If the last column would be narrower, the terminal wraps the lines instead. */
const NARROWEST = 20;

/** A cell of a table. Null and undefined are empty. */
export type Cell = string | number | null | undefined;

/**
 * A table whose last column is wrapped at the terminal's width. Cells come from files and
 * servers: control characters are shown, not sent to the terminal.
 *
 * @param width in characters; without it the table is as wide as needed
 */
export function tableOf(head: readonly string[], rows: readonly (readonly Cell[])[], width?: number): string {
  const printable = rows.map((row) => row.map((cell) => oneLine(String(cell ?? ''))));
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
