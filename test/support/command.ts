/** Runs the command `package-import`, in this process or in its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../cli/run.ts';
import type { Input } from '../../cli/screen.ts';
import { type CommandResult, collectText, resultOf } from './child-output.ts';
import type { Stack } from './starters/stack.ts';

export interface RunOptions {
  signal?: AbortSignal;
  /** Input that is typed or piped in. */
  stdin?: Input;
  /** Directory of profiles; by default one that does not exist. */
  configDirectory?: string;
}

/** Keeps tests away from the profiles of the user who runs them. */
const NO_PROFILES = join(tmpdir(), 'package-import-no-profiles');

const COMMAND = fileURLToPath(new URL('../../cli/package-import.ts', import.meta.url));
const SOON = { attempts: 3, firstPauseMs: 20, longestPauseMs: 50 };

/** Options that connect a command to a stack. */
export function connectionTo(
  { config }: Pick<Stack, 'config'>,
  gatewayUrl = `http://127.0.0.1:${config.gateway.port}`,
) {
  return ['--gateway', gatewayUrl, '--token-url', `${config.auth.issuer}/oauth2/token`];
}

/** Runs the command in this process, with short retry pauses. */
export async function run(
  args: readonly string[],
  { signal = new AbortController().signal, stdin, configDirectory = NO_PROFILES }: RunOptions = {},
): Promise<CommandResult> {
  const [stdout, stderr] = [collected(), collected()];
  const screen = { stdout, stderr, ...(stdin && { stdin }) };
  const options = { screen, version: 'test', signal, retries: SOON, configDirectory };
  const code = await runCommand(args, options);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function collected() {
  const written: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  return Object.assign(stream, { text: () => Buffer.concat(written).toString() });
}

/** Runs the command as a process of its own, without a terminal. */
export function spawned(
  args: readonly string[],
  {
    env = {},
    command = [COMMAND],
    cwd,
  }: { env?: Record<string, string>; command?: string[]; cwd?: string } = {},
): { child: ChildProcess; result: Promise<CommandResult>; stderr: () => string } {
  const child = spawn(process.execPath, [...command, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PACKAGE_IMPORT_CONFIG_DIR: NO_PROFILES,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, result: resultOf(child), stderr: collectText(child.stderr) };
}
