/** Docker with Compose: the running one, or a daemon of our own for the duration of the test. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atEnd } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/found-program.ts';
import { goProgram } from '../support/go-tool.ts';
import { Unavailable } from '../support/script.ts';
import { temporaryDirectory } from '../support/temporary.ts';

export interface ComposeEngine {
  /** Environment variables by which `docker` finds it. */
  env: Record<string, string>;
  /** Description for the output. */
  description: string;
}

/** A version with inline configs. */
const COMPOSE = { version: 'v2.40.3', package: 'github.com/docker/compose/v2/cmd' };
const START_MS = 120_000;

const execute = promisify(execFile);

/** Null when no daemon answers, or without Compose. */
export async function findRunningEngine(): Promise<ComposeEngine | null> {
  const server = await versionOf(['version', '--format', '{{.Server.Version}}'], {});
  const compose = await versionOf(['compose', 'version', '--short'], {});
  if (server === null || compose === null) return null;
  const env = Object.entries(process.env).filter(([name]) => name.startsWith('DOCKER_'));
  return {
    env: Object.fromEntries(env) as Record<string, string>,
    description: `Docker ${server} with Compose ${compose}`,
  };
}

/**
 * Starts a Docker daemon with socket, data and containers of its own, which no other `docker` sees. Compose
 * comes from Docker's plugins or from its Go module.
 * @param kept directory of its images for the next run; without it they are removed with the daemon
 * @throws Unavailable when none can be started
 */
export async function startOwnEngine({
  kept,
  say,
}: {
  kept?: string;
  say(line: string): void;
}): Promise<ComposeEngine> {
  const dockerd = await findProgram('dockerd');
  if (process.getuid?.() !== 0) throw new Unavailable('only root can start a Docker daemon');
  if (dockerd === null || (await findProgram('docker')) === null)
    throw new Unavailable('docker and dockerd are missing (Debian, as root: apt-get install docker.io)');
  const directory = await temporaryDirectory();
  const socket = `unix://${join(directory, 'docker.sock')}`;
  const env = { DOCKER_HOST: socket, DOCKER_CONFIG: join(directory, 'config') };
  const options = {
    host: socket,
    'data-root': kept ?? join(directory, 'data'),
    'exec-root': join(directory, 'run'),
    pidfile: join(directory, 'docker.pid'),
    'log-level': 'error',
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(dockerd, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A Ctrl-C reaches only the test, which ends the containers first.
    detached: true,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  atEnd(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const server = await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`dockerd ended with ${child.exitCode}: ${said}`);
    return versionOf(['version', '--format', '{{.Server.Version}}'], env);
  }, START_MS);
  const compose = (await versionOf(['compose', 'version', '--short'], env)) ?? (await addCompose(env, say));
  return { env, description: `Docker ${server} of the test's own with Compose ${compose}` };
}

/** Installed as a plugin, so that the commands of deploy/compose.md work unchanged. @returns its version */
async function addCompose(env: { DOCKER_CONFIG: string }, say: (line: string) => void): Promise<string> {
  const plugins = join(env.DOCKER_CONFIG, 'cli-plugins');
  await mkdir(plugins, { recursive: true });
  const binary = await goProgram(`docker-compose-${COMPOSE.version}`, COMPOSE, say);
  await symlink(binary, join(plugins, 'docker-compose'));
  return COMPOSE.version;
}

function versionOf(args: readonly string[], env: Record<string, string>): Promise<string | null> {
  return execute('docker', args, { env: { ...process.env, ...env }, timeout: 20_000 }).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
}
