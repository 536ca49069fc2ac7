/** Writes a stream into a new file, and onto the disk. */
import { type FileHandle, open } from 'node:fs/promises';
import { type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { hashAtOnce, hashInThread } from './file-hash.ts';
import type { PutOptions, StoredFile } from './storage.ts';

/** What has come while a write was under way goes with the next: one call for each piece costs more than its bytes. */
const WAITING_BYTES = 1024 * 1024;

/**
 * Returns when the bytes are on the disk. What was written by then stays when it throws.
 *
 * @throws the source's error, or the system's
 */
export async function writeFile(
  path: string,
  source: Readable,
  { mayTakeBuffers = false }: PutOptions,
): Promise<StoredFile> {
  // Opened first: whoever removes it after a failure finds it.
  const handle = await open(path, 'wx', 0o600);
  const hash = mayTakeBuffers ? hashInThread() : hashAtOnce();
  let sizeBytes = 0;
  let hashed = Promise.resolve();
  /** What was written is hashed while the next is written. */
  const write = async (pieces: Buffer[]) => {
    await writeAll(handle, pieces);
    sizeBytes += lengthOf(pieces);
    await hashed;
    hashed = hash.update(pieces);
    hashed.catch(() => {}); // Reported when it is waited for.
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
    // Not the source itself: the pipeline would tell it, too, why a write has failed.
    await pipeline(async function* pieces() {
      yield* source;
    }, file);
    await hashed;
    return { sizeBytes, sha256: await hash.digest() };
  } catch (error) {
    // Behind what is under way: a piece that came later would be the beginning of a file that nobody forgets.
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

/** The system may write fewer bytes than it was given. */
function behind(pieces: readonly Buffer[], bytes: number): readonly Buffer[] {
  if (bytes === lengthOf(pieces)) return [];
  const [first, ...rest] = pieces;
  if (first === undefined) return [];
  return bytes < first.length ? [first.subarray(bytes), ...rest] : behind(rest, bytes - first.length);
}

function lengthOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
