import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { descendantsOf, isListed, sendSignal } from './process-tree.ts';
import { type Restartable, type Running, restartable } from './restartable.ts';

/** Starts a child, like PostgreSQL, and stops on request. */
const PROGRAM = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  process.on('SIGTERM', () => process.exit(0)); process.stdout.write('ready')`;

async function launch(): Promise<Running> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    exited,
    async stop() {
      for (const { pid } of await descendantsOf(child.pid)) sendSignal(pid, 'SIGKILL');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function started(start = launch): { part: Restartable; said: string[] } {
  const said: string[] = [];
  const part = restartable('part', start, (line) => said.push(line));
  onTestFinished(() => part.kill());
  return { part, said };
}

async function tree(part: Restartable): Promise<number[]> {
  return [part.pid() ?? 0, ...(await descendantsOf(part.pid())).map(({ pid }) => pid)];
}

it('is killed with all its children, and started again', async () => {
  const { part } = started();
  await part.start();
  const before = await tree(part);
  expect(before).toHaveLength(2);
  await part.kill();
  expect([part.pid(), ...before.filter(isListed)]).toEqual([undefined]);
  await part.start();
  expect(part.pid()).not.toBe(before[0]);
  expect(part.endedByItself()).toBe(0);
});

it('that ends by itself is started again, and counted', async () => {
  const { part } = started();
  await part.start();
  const [pid = 0, child = 0] = await tree(part);
  for (const one of [pid, child]) sendSignal(one, 'SIGKILL');
  await eventually(async () => part.pid() !== undefined && part.pid() !== pid);
  expect(part.endedByItself()).toBe(1);
});

it('is tried again until it starts, and reports its failures', async () => {
  let attempts = 0;
  const { part, said } = started(async () => {
    attempts += 1;
    if (attempts < 3) throw new Error('no database');
    return launch();
  });
  await part.start();
  expect(said).toEqual(['part does not start: no database', 'part does not start: no database']);
});

it('that is stopped while it starts does not run afterwards', async () => {
  let attempts = 0;
  const { part } = started(async () => {
    attempts += 1;
    throw new Error('never');
  });
  const starting = part.start();
  await eventually(async () => attempts > 0);
  await part.stop();
  await starting;
  expect(part.pid()).toBeUndefined();
});
