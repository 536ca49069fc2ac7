import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './cleanup.ts';

/** A directory that is removed at the end. */
export async function temporaryDirectory(parent = tmpdir()): Promise<string> {
  const directory = await mkdtemp(join(parent, 'package-import-'));
  atEnd(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
