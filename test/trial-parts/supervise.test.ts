/** Supervised processes: one that ends is restarted, and the stop also ends one that is being restarted. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { supervise } from '../../src/processes/whole-service/supervise.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** The first process of the program is ready at once, and ends. Each later one is ready after a second, and stays. */
async function program(directory: string): Promise<URL> {
  const file = join(directory, 'program.mjs');
  await writeFile(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs';
    const pids = ${JSON.stringify(join(directory, 'pids'))};
    appendFileSync(pids, process.pid + '\\n');
    process.once('disconnect', () => process.exit(0));
    const isFirst = readFileSync(pids, 'utf8').trim().split('\\n').length === 1;
    setTimeout(() => process.send({ type: 'ready' }, () => isFirst && process.exit(7)), isFirst ? 0 : 1_000);`,
  );
  return pathToFileURL(file);
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
  const directory = await temporaryDirectory();
  const said: string[] = [];
  const supervised = await supervise({
    name: 'program of the test',
    program: await program(directory),
    execArgv: [],
    graceMs: 0,
    interrupted: new AbortController().signal,
    progress: (line) => said.push(line),
  });
  const pids = async () => (await readFile(join(directory, 'pids'), 'utf8')).trim().split('\n').map(Number);
  const second = await eventually(async () => (await pids())[1]);
  await supervised.close();
  expect(said).toEqual(['The program of the test ended (7). Restarting it.']);
  expect(isRunning(second)).toBe(false);
  expect(await pids()).toHaveLength(2);
});
