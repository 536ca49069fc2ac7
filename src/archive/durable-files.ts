/** Writes and renames files so that they survive a power failure. */
import { type FileHandle, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileHash } from './file-hash.ts';
import type { StoredFile } from './storage.ts';

/** Bytes that are collected during a write and written together: a call per piece costs more than its bytes. */
const WAITING_BYTES = 1024 * 1024;

/**
 * Writes a stream into a new file and syncs it to the disk. Returns when the bytes are on the disk. If it throws, the
 * bytes written so far remain.
 *
 * @param startHash called once, when the file is open
 * @throws the source's error, or the system's
 */
export async function writeFile(
  path: string,
  source: Readable,
  startHash: () => FileHash,
): Promise<StoredFile> {
  // The file is opened first, so that the caller finds it when it cleans up after a failure.
  const handle = await open(path, 'wx', 0o600);
  const hash = startHash();
  let sizeBytes = 0;
  let hashed = Promise.resolve();
  /** Hashes the written bytes while the next ones are written. */
  const write = async (pieces: Buffer[]) => {
    await writeAll(handle, pieces);
    sizeBytes += lengthOf(pieces);
    await hashed;
    hashed = hash.update(pieces);
    hashed.catch(() => {}); // Reported when it is awaited.
  };
  let working = Promise.resolve();
  const file = new Writable({
    highWaterMark: WAITING_BYTES,
    writev(chunks, done) {
      working = write(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
    },
    final: (done) => void handle.sync().then(() => done(), done),
  });
  try {
    // The source is wrapped, because the pipeline would pass it the error of a failed write.
    await pipeline(async function* pieces() {
      yield* source;
    }, file);
    await hashed;
    return { sizeBytes, sha256: await hash.digest() };
  } catch (error) {
    // Waits for the write in progress: a later piece would start a new hash that is never forgotten.
    await working;
    await hashed.catch(() => {});
    hash.forget();
    throw error;
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  for (let left = pieces; left.length > 0; ) {
    const { bytesWritten } = await handle.writev(left);
    left = behind(left, bytesWritten);
  }
}

/** Skips the written bytes: the system may write fewer bytes than it was given. */
function behind(pieces: readonly Buffer[], bytes: number): readonly Buffer[] {
  if (bytes === lengthOf(pieces)) return [];
  const [first, ...rest] = pieces;
  if (first === undefined) return [];
  return bytes < first.length ? [first.subarray(bytes), ...rest] : behind(rest, bytes - first.length);
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Errors of a file system or an operating system that cannot sync a directory. Its renames are as durable as possible. */
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
