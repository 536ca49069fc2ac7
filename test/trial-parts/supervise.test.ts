/** Supervised processes: one that ends is restarted, and the stop also ends one that is being restarted. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { supervise } from '../../src/processes/whole-service/supervise.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/**
 * The first process of the program is ready at once, and ends. Each later one stays.
 *
 * @param later code of a later process
 */
async function program(directory: string, later: string): Promise<URL> {
  const file = join(directory, 'program.mjs');
  await writeFile(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs';
    const pids = ${JSON.stringify(join(directory, 'pids'))};
    appendFileSync(pids, process.pid + '\\n');
    const isFirst = readFileSync(pids, 'utf8').trim().split('\\n').length === 1;
    if (isFirst) process.send({ type: 'ready' }, () => process.exit(7));
    else { ${later} }`,
  );
  return pathToFileURL(file);
}

/** Starts the program. @returns it during the start of its second process */
async function restarting(later: string) {
  const directory = await temporaryDirectory();
  const said: string[] = [];
  const supervised = await supervise({
    name: 'program of the test',
    program: await program(directory, later),
    execArgv: [],
    graceMs: 0,
    interrupted: new AbortController().signal,
    progress: (line) => said.push(line),
  });
  const pids = async () => (await readFile(join(directory, 'pids'), 'utf8')).trim().split('\n').map(Number);
  const second = await eventually(async () => (await pids())[1]);
  return { supervised, said, pids, second };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('a process that ends is restarted, and a stop during its start ends it', async () => {
  const { supervised, said, pids, second } = await restarting(
    `process.once('disconnect', () => process.exit(0));
    setTimeout(() => process.send({ type: 'ready' }), 1_000);`,
  );
  await supervised.close();
  expect(said).toEqual(['The program of the test ended (exit code 7). Restarting it.']);
  expect(isRunning(second)).toBe(false);
  expect(await pids()).toHaveLength(2);
});

it('a process that hangs in its restart is killed', async () => {
  const { supervised, second } = await restarting('for (;;);');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const closed = supervised.close();
  vi.advanceTimersByTime(15_000);
  await closed;
  expect(isRunning(second)).toBe(false);
});

it.each([
  [
    'at once',
    'E2BIG',
    (env: NodeJS.ProcessEnv) => {
      env.LARGE = 'x'.repeat(200_000);
    },
  ],
  [
    'later',
    'spawn /nowhere',
    () => {
      process.execPath = '/nowhere';
    },
  ],
])('a restart that the system refuses %s (%s) is repeated', async (_, code, spoil) => {
  const directory = await temporaryDirectory();
  const { execPath } = process;
  onTestFinished(() => {
    process.execPath = execPath;
  });
  const env = { ...process.env };
  const said: string[] = [];
  const supervised = await supervise({
    name: 'program of the test',
    program: await program(directory, "process.once('disconnect', () => process.exit(0));"),
    env,
    execArgv: [],
    graceMs: 0,
    interrupted: new AbortController().signal,
    progress: (line) => said.push(line),
  });
  spoil(env);
  await eventually(async () => said[1]?.includes(code));
  delete env.LARGE;
  process.execPath = execPath;
  await eventually(
    async () => (await readFile(join(directory, 'pids'), 'utf8')).trim().split('\n').length === 2,
  );
  await supervised.close();
});

it.each([
  ['process.exit(3)', 'exit code 3'],
  ["process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
])('a first start that ends with %s fails', async (code, reason) => {
  const file = join(await temporaryDirectory(), 'program.mjs');
  await writeFile(file, code);
  const supervised = supervise({
    name: 'program of the test',
    program: pathToFileURL(file),
    execArgv: [],
    graceMs: 0,
    interrupted: new AbortController().signal,
    progress: () => {},
  });
  await expect(supervised).rejects.toThrow(`The program of the test ended (${reason}).`);
});
