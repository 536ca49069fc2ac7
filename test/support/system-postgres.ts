/**
 * A PostgreSQL of the operating system, with tools that the embedded one lacks: `pg_dump`, `pg_restore`,
 * `psql`. For tests of backups.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from './cleanup.ts';
import { eventually } from './eventually.ts';
import { freePorts } from './free-ports.ts';

const PROGRAMS = ['initdb', 'postgres', 'psql', 'pg_dump', 'pg_restore', 'pg_isready'];
const NAME = 'package_import';
const ADMINISTRATOR = 'postgres';

export interface SystemPostgres {
  /** URL for the owner of the tables, who is no administrator. */
  url: string;
  /** URL of the same database for an administrator. */
  administratorUrl: string;
  /** Directory of its programs. */
  binDir: string;
  /** Ends it like a power cut. */
  kill(): Promise<void>;
  /** Restarts it after a kill. */
  startAgain(): Promise<void>;
}

/** The directory of the newest server with all its tools, or null. */
export function findSystemPostgres(): string | null {
  const packaged = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => version(b) - version(a));
  const folders = [...packaged, ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => PROGRAMS.every((program) => existsSync(join(folder, program)))) ?? null;
}

function version(binDir: string): number {
  return Number(/\d+/.exec(binDir)?.[0] ?? 0);
}

/** Resolves when it answers. @param directory an empty one that its user can access */
export async function startSystemPostgres(binDir: string, directory: string): Promise<SystemPostgres> {
  const data = join(directory, 'postgres');
  const [port = 0] = await freePorts(1);
  const asUser = await serverUser();
  const run = (program: string, args: string[]) => promisify(execFile)(join(binDir, program), args, asUser);
  await mkdir(data, { mode: 0o700 });
  if (asUser.uid !== undefined) await chown(data, asUser.uid, asUser.gid ?? 0);
  const initdb = [
    '--pgdata',
    data,
    '--username',
    ADMINISTRATOR,
    '--auth=trust',
    '--encoding=UTF8',
    '--no-sync',
  ];
  await run('initdb', initdb);
  let end = async () => {};
  const start = async () => {
    const args = [
      '-D',
      data,
      '-p',
      `${port}`,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
    ];
    const child = spawn(join(binDir, 'postgres'), args, { ...asUser, stdio: 'ignore' });
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    end = async () => {
      // An immediate shutdown: nothing is written, and the next start recovers from the log.
      child.kill('SIGQUIT');
      await exited;
    };
    await eventually(() =>
      run('pg_isready', ['--host=127.0.0.1', `--port=${port}`]).then(Boolean, () => false),
    );
  };
  atEnd(() => end());
  await start();
  const urlOf = (role: string, database: string) => `postgresql://${role}@127.0.0.1:${port}/${database}`;
  const statements = [`create role ${NAME} login`, `create database ${NAME} owner ${NAME}`];
  for (const statement of statements)
    await run('psql', [urlOf(ADMINISTRATOR, 'postgres'), '--command', statement]);
  return {
    url: urlOf(NAME, NAME),
    administratorUrl: urlOf(ADMINISTRATOR, NAME),
    binDir,
    kill: () => end(),
    startAgain: start,
  };
}

/** PostgreSQL refuses to run as root. */
async function serverUser(): Promise<{ cwd: string; uid?: number; gid?: number }> {
  if (userInfo().uid !== 0) return { cwd: '/' };
  const id = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));
  return { cwd: '/', uid: id('-u'), gid: id('-g') };
}
