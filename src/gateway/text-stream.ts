/**
 * Text that is written piece by piece as the client takes it, so that it costs memory for a piece, whoever is slow
 * (decision §reports-are-streamed).
 */
import { Readable } from 'node:stream';

/** Characters that are written together. */
const PIECE = 16 * 1024;

/**
 * What goes wrong on the way ends the stream, and so the connection: a client must not take half an answer for a whole one.
 *
 * @param close called once, when the text has been written, or never will be
 */
export function textStream(pieces: AsyncIterable<string>, close: () => void): Readable {
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
