/** The starter of every script in package.json: the program sees the same environment as without it. */

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { NODE } from '../../tools/project-node.mjs';
import { temporaryDirectory } from '../support/temporary.ts';

const RUN = fileURLToPath(new URL('../../tools/run.mjs', import.meta.url));
const SCRIPTS: Record<string, string> = JSON.parse(
  await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
).scripts;
const OWN_NODE = process.execPath;
const HEAP = '--max-old-space-size=99';

const PROGRAM = `
import { getHeapStatistics } from 'node:v8';
const [task, value]: readonly string[] = process.argv.slice(2);
if (task === 'exit') process.exit(Number(value));
if (task === 'throw') throw new Error(value);
if (task === 'die') process.kill(process.pid, value);
if (task === 'stop') process.once(value!, () => process.exit(5));
if (task === 'stop' || task === 'wait' || task === 'die') setInterval(() => {}, 1000);
const { argv, execArgv } = process;
const heap = getHeapStatistics().heap_size_limit;
console.log(JSON.stringify({ argv: argv.slice(1), execArgv, heap }));
`;

const directory = await temporaryDirectory();
const program = join(directory, 'program.ts');
await writeFile(program, PROGRAM);
/** Makes a Node believe that it is old. The Node that it starts stays as it is. */
const old = join(directory, 'old.mjs');
await writeFile(
  old,
  "Object.defineProperty(process.versions, 'node', { value: '20.0.0' }); delete process.env.NODE_OPTIONS;",
);
/** A cache that has the project's Node already. */
const cached = join(directory, 'package-import', 'bin', `${NODE.project}-${NODE.version}`);
await mkdir(cached, { recursive: true });
await symlink(OWN_NODE, join(cached, basename(OWN_NODE)));

const withNode = (isOld: boolean) => ({
  ...process.env,
  XDG_CACHE_HOME: directory,
  ...(isOld && { NODE_OPTIONS: `--import=${old}` }),
});
const options = (isOld = false) => ({ cwd: directory, env: withNode(isOld) });

async function told(args: string[], isOld = false): Promise<unknown> {
  const { stdout } = await promisify(execFile)(OWN_NODE, args, options(isOld));
  return JSON.parse(stdout);
}

async function endOf(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  const [code, signal] = await once(child, 'exit');
  return [code, signal];
}

describe.each([
  ['in the same process', false],
  ['in a child, where an old Node was first on the path', true],
])('a program %s', (_title, isOld) => {
  it('gets its arguments and its options for V8 as if started directly', async () => {
    const args = ['program.ts', '--flag', 'two words', '--', 'A=1'];
    const direct = await told([HEAP, ...args]);
    expect(await told([HEAP, RUN, ...args], isOld)).toEqual(direct);
    expect(direct).toMatchObject({ argv: [program, ...args.slice(1)], execArgv: [HEAP] });
  });

  it('returns its exit code', async () => {
    expect(await endOf(spawn(OWN_NODE, [RUN, 'program.ts', 'exit', '7'], options(isOld)))).toEqual([7, null]);
    const failing = promisify(execFile)(
      OWN_NODE,
      [RUN, 'program.ts', 'throw', 'It went wrong.'],
      options(isOld),
    );
    await expect(failing).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('It went wrong.'),
    });
  });

  it.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'is asked to stop by %s, and ends by itself or by it',
    async (signal) => {
      const ends = [['stop', signal], ['wait']].map(async (task) => {
        const child = spawn(OWN_NODE, [RUN, 'program.ts', ...task], options(isOld));
        await once(child.stdout, 'data');
        const end = endOf(child);
        child.kill(signal);
        return end;
      });
      expect(await Promise.all(ends)).toEqual([
        [5, null],
        [null, signal],
      ]);
    },
  );

  it.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
    'is asked to stop by %s, which only npm gets',
    async (signal) => {
      const start = SCRIPTS.start?.replace(
        / tools\S+ \S+$/,
        ` ${isOld ? `--import='${old}'` : ''} '${RUN}' program.ts stop ${signal}`,
      );
      const folder = await mkdtemp(join(directory, 'npm-'));
      await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
      await copyFile(program, join(folder, 'program.ts'));
      const env = { ...withNode(false), PATH: `${dirname(OWN_NODE)}${delimiter}${process.env.PATH}` };
      const npm = spawn('npm', ['start', '--silent'], { cwd: folder, env });
      const end = endOf(npm);
      await Promise.race([once(npm.stdout, 'data'), end]);
      npm.kill(signal);
      expect(await end).toEqual([5, null]);
    },
  );

  it.skipIf(process.platform === 'win32')('returns the signal that ended it', async () => {
    const died = spawn(OWN_NODE, [RUN, 'program.ts', 'die', 'SIGKILL'], options(isOld));
    expect(await endOf(died)).toEqual([null, 'SIGKILL']);
  });
});

/** On Windows, `kill()` ends a child at once, and the console sends the Ctrl-C to it itself. */
it.skipIf(process.platform === 'win32')('on Windows, a Ctrl-C is left to the console', async () => {
  await symlink(OWN_NODE, join(cached, 'node.exe'));
  const windows = join(directory, 'windows.mjs');
  await writeFile(
    windows,
    `import ${JSON.stringify(old)}; Object.defineProperty(process, 'platform', { value: 'win32' });`,
  );
  const env = { ...withNode(true), NODE_OPTIONS: `--import=${windows}` };
  const child = spawn(OWN_NODE, [RUN, 'program.ts', 'stop', 'SIGTERM'], {
    cwd: directory,
    env,
    detached: true,
  });
  await once(child.stdout, 'data');
  const end = endOf(child);
  child.kill('SIGINT');
  const pause = new Promise((resolve) => setTimeout(() => resolve('runs'), 500));
  expect(await Promise.race([end, pause])).toBe('runs');
  // The console's part, for the whole group.
  process.kill(-(child.pid as number), 'SIGTERM');
  expect(await end).toEqual([5, null]);
});

it('every script that runs a program replaces its shell', () => {
  const scripts = Object.values(SCRIPTS).filter((script) => script.includes('run.mjs'));
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((script) => !/^exec node [^&|;]*$/.test(script))).toEqual([]);
});

it('reports what is missing', async () => {
  await expect(promisify(execFile)(OWN_NODE, [RUN], options())).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No program to run'),
  });
});
