import { excerpt } from '../src/domain/text.ts';

/** Where a command writes: results to the one, everything that goes by to the other. */
export interface Output {
  write(text: string): unknown;
  /** A terminal, as Node's streams say it. */
  isTTY?: boolean;
  /** Width of the terminal in characters. */
  columns?: number;
  /** Its height in lines. */
  rows?: number;
}

/** Where secrets are typed, or piped in. */
export type Input = NodeJS.ReadableStream & { isTTY?: boolean };

export interface Screen {
  stdout: Output;
  stderr: Output;
  /** For secrets; not given where there is nobody to give them. */
  stdin?: Input;
}

/** The width that tables may have: that of the terminal, else any. */
export function widthOf({ isTTY, columns }: Output): number | undefined {
  return isTTY ? columns : undefined;
}

/** What came from files and servers must neither move the cursor nor start a line of its own. */
export function oneLine(text: string): string {
  return excerpt(text, Number.POSITIVE_INFINITY);
}
