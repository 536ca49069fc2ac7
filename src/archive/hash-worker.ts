/** Worker thread: SHA-256 of the files that are being written, a few pieces of one file at a time. */
import { createHash, type Hash } from 'node:crypto';

export type HashTask =
  /** The pieces after the first `offset` bytes. Their memory is freed. */
  | { file: number; offset: number; pieces: Uint8Array<ArrayBuffer>[] }
  /** The file is complete; the answer is the hexadecimal digest. */
  | { file: number; offset: number; whole: true }
  | { file: number; forget: true };

const files = new Map<number, { hash: Hash; bytes: number }>();

/** @throws when pieces are missing because the thread that hashed them ended */
export default function work(task: HashTask): string | undefined {
  if ('forget' in task) {
    files.delete(task.file);
    return;
  }
  const file = files.get(task.file) ?? { hash: createHash('sha256'), bytes: 0 };
  if (file.bytes !== task.offset)
    throw new Error('The thread that hashed the beginning of the file has ended');
  if ('whole' in task) {
    files.delete(task.file);
    return file.hash.digest('hex');
  }
  for (const piece of task.pieces) {
    file.hash.update(piece);
    file.bytes += piece.length;
    piece.buffer.transfer(0);
  }
  files.set(task.file, file);
}
