/** Streamed answers, for data that is too large for memory (decision §reports-are-streamed). */

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StoredFile } from '../archive/storage.ts';
import { csvHeader, csvLines } from '../common/csv.ts';
import { reasonText } from '../contract/reasons.ts';
import type { Reason } from '../contract/types.ts';

/** Characters per write. */
const PIECE = 16 * 1024;

/**
 * An error ends the stream, and with it the connection: a client must not mistake half an answer for a whole one.
 *
 * @param close called once, after the text has been written or given up
 */
export function textStream(pieces: AsyncIterable<string>, close: () => void = () => {}): Readable {
  return Readable.from(joined(pieces), { objectMode: false }).once('close', close);
}

async function* joined(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** `T` whose lists may be async iterables. */
export type Streamed<T> = {
  [Key in keyof T]: T[Key] extends readonly (infer Item)[]
    ? T[Key] | AsyncIterable<Item>
    : T[Key] extends object
      ? Streamed<T[Key]>
      : T[Key];
};

/** The data of a streamed answer. */
export class StreamedData<T> {
  readonly data: Streamed<T>;
  /** Releases the data. To be called once, after the answer has been written or given up. */
  readonly close: () => void;

  constructor(data: Streamed<T>, close: () => void = () => {}) {
    this.data = data;
    this.close = close;
  }
}

export function jsonStream(
  envelope: { status: string; message: string },
  { data, close }: StreamedData<unknown>,
): Readable {
  return textStream(piecesOf({ ...envelope, data }), close);
}

/** JSON text of a value whose lists may be async iterables. */
export async function* piecesOf(value: unknown): AsyncGenerator<string> {
  if (isStreamed(value)) {
    let before = '[';
    for await (const item of value) {
      yield before + JSON.stringify(item);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
  } else if (isObject(value)) {
    let before = '{';
    for (const [name, part] of Object.entries(value)) {
      yield `${before}${JSON.stringify(name)}:`;
      yield* piecesOf(part);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}

function isStreamed(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Cell = string | number | null | readonly Reason[];

/** Rows that are converted to CSV at a time. */
const ROWS_AT_ONCE = 100;

/** RFC 4180. */
export async function* csvOf<Row extends object>(
  columns: readonly string[],
  rows: AsyncIterable<Row>,
): AsyncGenerator<string> {
  yield csvHeader(columns);
  let some: object[] = [];
  for await (const row of rows) {
    some.push(Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cellOf(cell)])));
    if (some.length < ROWS_AT_ONCE) continue;
    yield csvLines(columns, some);
    some = [];
  }
  yield csvLines(columns, some);
}

function cellOf(cell: Cell): string | number | null {
  return cell !== null && typeof cell === 'object' ? cell.map(reasonText).join('\n') : cell;
}

/** Size and digest of a content that is not stored, in constant memory. */
export async function sha256Of(source: Readable): Promise<StoredFile> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const piece of source) {
    hash.update(piece);
    sizeBytes += piece.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}
