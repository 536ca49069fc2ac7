/**
 * Answers that are too large to be held: written piece by piece as the client takes them, so that they cost memory for a
 * piece, whoever is slow (architecture §reports-are-streamed).
 */
import { Readable } from 'node:stream';

/** `T` whose lists may come by and by. */
export type Streamed<T> = {
  [Key in keyof T]: T[Key] extends readonly (infer Item)[]
    ? T[Key] | AsyncIterable<Item>
    : T[Key] extends object
      ? Streamed<T[Key]>
      : T[Key];
};

/** The data of an answer that is written piece by piece. */
export class StreamedData<T> {
  readonly data: Streamed<T>;
  /** To be called once, when the answer has been written, or never will be. */
  readonly close: () => void;

  constructor(data: Streamed<T>, close: () => void = () => {}) {
    this.data = data;
    this.close = close;
  }
}

/** A client that takes less of its answer holds up what others could have. */
const LEAST_BYTES_PER_S = 1024;
const FLOOR_WINDOW_MS = 60_000;
/** Characters that are written together. */
const PIECE = 16 * 1024;

/** The connection was ended because its client took next to nothing of the answer. */
export class SlowClient extends Error {}

/**
 * The JSON of an envelope. What goes wrong on the way ends the stream, and so the connection: a client must not take half
 * an answer for a whole one.
 */
export function jsonStream(
  envelope: { status: string; message: string },
  { data, close }: StreamedData<unknown>,
  windowMs = FLOOR_WINDOW_MS,
): Readable {
  let taken = 0;
  let waiting = false;
  async function* joined(): AsyncGenerator<string> {
    let text = '';
    for await (const piece of piecesOf({ ...envelope, data })) {
      text += piece;
      if (text.length < PIECE) continue;
      waiting = true;
      yield text;
      waiting = false;
      taken += text.length;
      text = '';
    }
    yield text;
  }
  const stream = Readable.from(joined(), { objectMode: false });
  const floor = setInterval(() => {
    if (waiting && taken < (LEAST_BYTES_PER_S * windowMs) / 1000)
      stream.destroy(new SlowClient(`It took ${taken} bytes in ${windowMs / 1000} s`));
    taken = 0;
  }, windowMs).unref();
  stream.once('close', () => {
    clearInterval(floor);
    close();
  });
  return stream;
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
