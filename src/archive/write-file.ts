/** Writes a stream into a new file and syncs it to the disk. */
import { type FileHandle, open } from 'node:fs/promises';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hashAtOnce, hashInThread } from './file-hash.ts';
import type { PutOptions, StoredFile } from './storage.ts';

/** Bytes that are collected during a write and written together: a call per piece costs more than its bytes. */
const WAITING_BYTES = 1024 * 1024;

/**
 * Returns when the bytes are on the disk. If it throws, the bytes written so far remain.
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
  const hash = mayTakeBuffers ? hashInThread() : hashAtOnce();
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
