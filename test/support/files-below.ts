import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Paths of everything but directories in a directory and below it. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));
}
