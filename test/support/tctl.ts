/** Finds `tctl` for the runbook's tests: on the PATH, in the cache, or by building it (decision §real-servers-in-tests). */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildGoProgram } from './go-tool.ts';

const VERSION = '1.18.0';
const PACKAGE = 'github.com/temporalio/tctl/cmd/tctl';

export type Tctl = { binary: string } | { binary: null; reason: string };

const execute = promisify(execFile);

/** @param cacheDir directory for the built binary */
export async function findTctl(cacheDir: string): Promise<Tctl> {
  if (await works('tctl')) return { binary: 'tctl' };
  const binDir = join(cacheDir, 'bin');
  const cached = join(binDir, `tctl-${VERSION}`);
  const isCached = await access(cached, constants.X_OK).then(
    () => true,
    () => false,
  );
  if (isCached) return { binary: cached };
  try {
    // The build takes half a minute, or several minutes with an empty Go cache.
    await buildGoProgram({ version: `v${VERSION}`, package: PACKAGE }, cached);
    return { binary: cached };
  } catch (error) {
    const [reason = ''] = (error as Error).message.trim().split('\n').slice(-1);
    return { binary: null, reason: `not on the PATH, and building it failed: ${reason}` };
  }
}

function works(command: string): Promise<boolean> {
  return execute(command, ['--version'], { timeout: 10_000 }).then(
    ({ stdout }) => stdout.includes('tctl version 1.'),
    () => false,
  );
}
