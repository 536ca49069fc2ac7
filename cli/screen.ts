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

/** Maximum width of tables: that of the terminal, else unlimited. */
export function widthOf({ isTTY, columns }: Output): number | undefined {
  return isTTY ? columns : undefined;
}

/** Text from files and servers must neither move the cursor nor start a new line. */
export function oneLine(text: string): string {
  return excerpt(text, Number.POSITIVE_INFINITY);
}
