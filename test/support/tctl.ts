/**
 * Finds `tctl` for the runbook's tests: on the PATH, in the cache, or by building it (decision §real-servers-in-tests).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Found, findGoProgram } from './go-tool.ts';

const VERSION = '1.18.0';
const PACKAGE = 'github.com/temporalio/tctl/cmd/tctl';

const execute = promisify(execFile);

export async function findTctl(): Promise<Found<string>> {
  if (await works('tctl')) return { found: 'tctl' };
  // The build takes half a minute, or several minutes with an empty Go cache.
  return findGoProgram(`tctl-${VERSION}`, { version: `v${VERSION}`, package: PACKAGE });
}

function works(command: string): Promise<boolean> {
  return execute(command, ['--version'], { timeout: 10_000 }).then(
    ({ stdout }) => stdout.includes('tctl version 1.'),
    () => false,
  );
}
