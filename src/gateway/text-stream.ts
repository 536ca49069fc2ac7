/**
 * Text that is written piece by piece as the client takes it, so that it costs memory for a piece, whoever is slow
 * (architecture §reports-are-streamed).
 */
import { Readable } from 'node:stream';

/** A client that takes less of its answer holds up what others could have. */
const LEAST_BYTES_PER_S = 1024;
const FLOOR_WINDOW_MS = 60_000;
/** Characters that are written together. */
const PIECE = 16 * 1024;

/** The connection was ended because its client took next to nothing of the answer. */
export class SlowClient extends Error {}

/**
 * What goes wrong on the way ends the stream, and so the connection: a client must not take half an answer for a whole one.
 *
 * @param close called once, when the text has been written, or never will be
 */
export function textStream(
  pieces: AsyncIterable<string>,
  close: () => void,
  windowMs = FLOOR_WINDOW_MS,
): Readable {
  let taken = 0;
  let waiting = false;
  async function* joined(): AsyncGenerator<string> {
    let text = '';
    for await (const piece of pieces) {
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
