/** Reads in pieces: a part of a file, and any items one ahead of their use. */

/** A file that can be read from any position. */
interface ReadableFile {
  /** Bytes that are best read at a time. */
  readonly pieceBytes: number;
  /** The bytes from `start` (inclusive) to `end` (exclusive); fewer only at the end of the file. */
  read(start: number, end: number): Promise<Buffer>;
}

/**
 * A part of a file. The next piece is read when the caller has taken the one before.
 *
 * @throws when the file ends before
 */
export async function* filePieces(file: ReadableFile, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; position += file.pieceBytes) {
    const wanted = Math.min(end, position + file.pieceBytes);
    const piece = await file.read(position, wanted);
    if (piece.length < wanted - position) throw new Error('The stored file is shorter than its record.');
    yield piece;
  }
}

/** Fetches the next item while the caller works with the previous one. */
export async function* oneAhead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = items.next();
      next.catch(() => {}); // Reported when it is awaited.
      yield value;
    }
  } finally {
    // A caller that stops early may close the source of the items: this waits for the pending read.
    await items.return(undefined);
  }
}
