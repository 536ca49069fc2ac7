/** A rename that outlasts a power failure. */
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Of a file system, or a system, that cannot write a directory out: its renames are as lasting as they get. */
const CANNOT = ['EINVAL', 'EISDIR', 'EPERM', 'ENOTSUP'];

/**
 * Renames a file whose content has been written out already, makes the directories that it needs, and returns when the name
 * is on the disk as well: a file's own fsync does not see to its entry in the directory (fsync(2)).
 *
 * @throws the system's error; the file has one of the two names then
 */
export async function renameForGood(from: string, to: string): Promise<void> {
  const made = await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
  let directory = dirname(to);
  await writeOut(directory);
  // Of directories that are new, the entry is in the one above.
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
