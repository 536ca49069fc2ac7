/** Streamed JSON answers, for data that is too large for memory (decision §reports-are-streamed). */
import type { Readable } from 'node:stream';
import { textStream } from './text-stream.ts';

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

async function* piecesOf(value: unknown): AsyncGenerator<string> {
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
