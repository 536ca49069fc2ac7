import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Parent of temporary directories. PostgreSQL, under another user, needs access to it. */
export function temporaryRoot(): string {
  return tmpdir();
}

/** A directory that is removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(temporaryRoot(), 'package-import-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
