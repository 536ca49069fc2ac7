/** A durable rename: it survives a power failure. */
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Errors of a file system or an operating system that cannot sync a directory. Its renames are as durable as possible. */
const CANNOT = ['EINVAL', 'EISDIR', 'EPERM', 'ENOTSUP'];

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
    if (!CANNOT.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
