import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Where temporary directories go: PostgreSQL, as another user, has to get there. */
export function temporaryRoot(): string {
  return tmpdir();
}

/** A directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(temporaryRoot(), 'package-import-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}
