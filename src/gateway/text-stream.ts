/**
 * A text stream with backpressure: memory holds one piece, however slow the client is
 * (decision §reports-are-streamed).
 */
import { Readable } from 'node:stream';

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
