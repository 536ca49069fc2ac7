/** Finds programs that no npm package contains, on the PATH or in the cache of binaries. `.ci/programs` brings them. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { CACHE_DIRECTORY } from './cache-directory.ts';
import { succeeds } from './eventually.ts';

/** The program's path; null if it is not found. */
export function findProgram(name: string, cacheDir = CACHE_DIRECTORY): Promise<string | null> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(cacheDir, 'bin')];
  return firstExecutable(folders.map((folder) => join(folder, name)));
}

/** The first of the paths at which there is a program; null if there is none. */
export async function firstExecutable(paths: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const isThere = await succeeds(access(path, constants.X_OK));
    if (isThere) return path;
  }
  return null;
}
