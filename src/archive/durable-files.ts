/** Writes and renames files so that they survive a power failure. */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PutOptions, StoredFile } from './storage.ts';

/** Bytes that are collected during a write and written together: a call per piece costs more than its bytes. */
const WAITING_BYTES = 1024 * 1024;

/**
 * Writes a stream into a new file and syncs it to the disk. Returns when the bytes are on the disk. If it throws, the
 * bytes written so far remain.
 *
 * @throws the source's error, or the system's
 */
export async function writeFile(
  path: string,
  source: Readable,
  { mayTakeBuffers = false }: PutOptions,
): Promise<StoredFile> {
  // The file is opened first, so that the caller finds it when it cleans up after a failure.
  const handle = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const write = async (pieces: Buffer[]) => {
    await writeAll(handle, pieces);
    for (const piece of pieces) {
      hash.update(piece);
      sizeBytes += piece.length;
      if (mayTakeBuffers) free(piece);
    }
  };
  const file = new Writable({
    highWaterMark: WAITING_BYTES,
    writev: (chunks, done) => void write(chunks.map(({ chunk }) => chunk)).then(() => done(), done),
    final: (done) => void handle.sync().then(() => done(), done),
  });
  try {
    // The source is wrapped, because the pipeline would pass it the error of a failed write.
    await pipeline(async function* pieces() {
      yield* source;
    }, file);
    return { sizeBytes, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

/**
 * Frees a piece that shares its memory with no other bytes. Left to V8, the pieces of a large file make it collect the
 * whole heap every few dozen MB.
 */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/** The system may write fewer bytes than it was given, for example to a disk that is nearly full. */
async function writeAll(handle: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  const { bytesWritten } = await handle.writev(pieces);
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (bytesWritten < bytes) await handle.writeFile(Buffer.concat(pieces).subarray(bytesWritten));
}

/**
 * Errors of a file system or an operating system that cannot sync a directory. Its renames are as durable as possible.
 */
const CANNOT_SYNC = ['EINVAL', 'EISDIR', 'EPERM', 'ENOTSUP'];

/**
 * Renames a file whose content is already synced, and makes the missing directories. Returns when the new name is on the
 * disk as well: the fsync of a file does not cover its directory entry (fsync(2)).
 *
 * @throws the system's error; the file then has one of the two names
 */
export async function renameForGood(from: string, to: string): Promise<void> {
  const made = await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
  let directory = dirname(to);
  await writeOut(directory);
  // The entry of a new directory is in its parent.
  while (made !== undefined && directory.length >= made.length) {
    directory = dirname(directory);
    await writeOut(directory);
  }
}

async function writeOut(directory: string): Promise<void> {
  try {
    const handle = await open(directory, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!CANNOT_SYNC.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
