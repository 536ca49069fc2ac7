/** Bytes as a stored file, without a storage. */
import type { StoredFileReader } from '../../../src/archive/storage.ts';

export interface StoredBytes extends StoredFileReader {
  /** Whether it has been closed. */
  readonly closed: boolean;
  /** Number of requested bytes so far. */
  readonly bytesRead: number;
}

export function storedBytes(bytes: Buffer): StoredBytes {
  let closed = false;
  let bytesRead = 0;
  return {
    sizeBytes: bytes.length,
    pieceBytes: 256 * 1024,
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
