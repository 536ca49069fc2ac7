/** The pid file of an embedded Temporal that was killed with its parent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTemporalServer } from '../../src/trial-parts/servers/temporal.ts';
import { atEnd } from '../support/cleanup.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** Starts a server, whose program fails, over the pid file of a process with these arguments. */
async function startOver(argumentsOf: (databaseFile: string) => string[]): Promise<ChildProcess> {
  const directory = await temporaryDirectory();
  const databaseFile = join(directory, 'temporal.db');
  const pidFile = join(directory, 'temporal.pid');
  const wait = 'process.stdout.write("started"); setInterval(() => {}, 1e6)';
  const leftover = spawn(process.execPath, ['--eval', wait, ...argumentsOf(databaseFile)]);
  atEnd(async () => void leftover.kill('SIGKILL'));
  await once(leftover.stdout, 'data');
  await writeFile(pidFile, String(leftover.pid));
  const options = { host: '127.0.0.1', port: 1, uiPort: null, namespaces: [], databaseFile, pidFile };
  await expect(startTemporalServer({ binary: 'false', ...options })).rejects.toThrow('did not start');
  return leftover;
}

it('ends the leftover server of this data directory', async () => {
  const leftover = await startOver((databaseFile) => ['temporal', '--db-filename', databaseFile]);
  expect(leftover.signalCode ?? leftover.exitCode).not.toBeNull();
});

it('leaves the server of another data directory alone, which has got the same pid', async () => {
  const other = await startOver(() => ['temporal', '--db-filename', '/another/temporal.db']);
  expect([other.exitCode, other.signalCode]).toEqual([null, null]);
});
