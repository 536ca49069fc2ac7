/** Bytes as a stored file, without a storage. */
import { Readable } from 'node:stream';
import type { StoredFileReader } from '../../../src/archive/storage.ts';

export interface StoredBytes extends StoredFileReader {
  /** Whether it has been closed. */
  readonly closed: boolean;
  /** Number of requested bytes so far. */
  readonly bytesRead: number;
}

const PIECE_BYTES = 64 * 1024;

export function storedBytes(bytes: Buffer): StoredBytes {
  let closed = false;
  let bytesRead = 0;
  function* pieces(start: number, end: number) {
    for (let at = start; at < end; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, Math.min(end, at + PIECE_BYTES));
      bytesRead += piece.length;
      yield piece;
    }
  }
  return {
    sizeBytes: bytes.length,
    pieceBytes: 256 * 1024,
    stream: (start, end) => Readable.from(pieces(start, end), { objectMode: false }),
    async read(start, end) {
      bytesRead += end - start;
      // A copy: readers may keep what they get, as from a real file.
      return Buffer.from(bytes.subarray(start, end));
    },
    async close() {
      closed = true;
    },
    get closed() {
      return closed;
    },
    get bytesRead() {
      return bytesRead;
    },
  };
}
