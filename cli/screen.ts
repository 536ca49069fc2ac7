/** The outputs and inputs of a command. */
import type { Readable } from 'node:stream';
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
export type Input = Readable & { isTTY?: boolean };

export interface Screen {
  /** A download is piped into it. */
  stdout: Output & NodeJS.WritableStream;
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

/** Fewest characters of a line of the last column. On a narrower terminal the table is wider than the terminal. */
const NARROWEST = 20;
/** A border and two spaces. */
const AROUND_CELL = 3;

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
  const whole = drawn(head, printable);
  const [border = ''] = whole.split('\n', 1);
  if (width === undefined || border.length <= width) return whole;
  const last = border.length - Math.max(border.lastIndexOf('┬'), 0) - 1 - AROUND_CELL;
  const room = Math.max(last - (border.length - width), NARROWEST);
  // As many words as fit, or a part of a word that is too long.
  const line = new RegExp(`(?=\\S)(?:.{0,${room - 1}}\\S(?!\\S)|\\S{1,${room}})`, 'gu');
  const linesOf = (text = '') => text.match(line) ?? [''];
  const wrapped = printable.flatMap((row) =>
    linesOf(row.at(-1)).map((text, index) => [
      ...row.slice(0, -1).map((cell) => (index === 0 ? cell : '')),
      text,
    ]),
  );
  return drawn([...head.slice(0, -1), linesOf(head.at(-1)).join('\n')], wrapped);
}

/** The time of the library grows with the square of the rows, so it draws some at a time. */
const DRAWN_AT_ONCE = 100;

function drawn(head: readonly string[], rows: readonly string[][]): string {
  const parts = [rows.slice(0, DRAWN_AT_ONCE)];
  for (let from = DRAWN_AT_ONCE; from < rows.length; from += DRAWN_AT_ONCE)
    parts.push(rows.slice(from, from + DRAWN_AT_ONCE));
  const draw = (widths: readonly number[]) =>
    parts.map((part) => {
      const style = { head: [], border: [], compact: true };
      const table = new Table({ head: [...head], style, colWidths: [...widths] });
      table.push(...part);
      return table.toString().split('\n');
    });
  const widths = draw([]).map(([border = '']) => border.slice(1, -1).split('┬'));
  const tables = draw(
    head.map((_title, column) => Math.max(...widths.map((one) => one[column]?.length ?? 0))),
  );
  const [first = []] = tables;
  const body = first.findIndex((line) => line.startsWith('├')) + 1;
  return [...first.slice(0, body), ...tables.flatMap((lines) => lines.slice(body, -1)), first.at(-1)].join(
    '\n',
  );
}
