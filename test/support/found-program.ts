/** Finds programs that no npm package contains, on the PATH or in the cache of binaries. `.ci/programs` brings them. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CACHE_DIRECTORY } from './cache-directory.ts';

/** The program's path; null if it is not found. */
export async function findProgram(name: string, cacheDir = CACHE_DIRECTORY): Promise<string | null> {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), join(cacheDir, 'bin')]) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}
