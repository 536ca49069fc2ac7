/** Saves a download to a file. */
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/**
 * An interrupted download leaves no file that looks complete.
 *
 * @returns how many bytes were written
 * @throws the error of the source or of the file system, or the reason of an aborted signal
 */
export async function saveFile(
  source: AsyncIterable<unknown>,
  file: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const partial = `${file}.part`;
  try {
    await pipeline(source, createWriteStream(partial), signal ? { signal } : {});
    await rename(partial, file);
    return (await stat(file)).size;
  } catch (error) {
    await rm(partial, { force: true });
    signal?.throwIfAborted();
    throw error;
  }
}
