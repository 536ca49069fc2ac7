/** Schemathesis in a Python environment of its own, kept in the cache. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const VERSION = '4.32.5';
const OLDEST_PYTHON = '(3, 10)';

/**
 * Installs it where it is not yet, from PyPI or what pip has been told to use in its place.
 *
 * @returns the path of the command, or null where there is no Python for it
 * @throws when pip fails, with what it said
 */
export async function installSchemathesis(
  cacheDir: string,
  say: (line: string) => void,
): Promise<string | null> {
  const directory = join(cacheDir, `schemathesis-${VERSION}`);
  const command = join(directory, 'bin', 'schemathesis');
  // The command is the last that pip writes.
  if (existsSync(command)) return command;
  if (!(await hasPython())) return null;
  say(`Installing Schemathesis ${VERSION} …`);
  await rm(directory, { recursive: true, force: true });
  await mkdir(cacheDir, { recursive: true });
  await quietly('python3', ['-m', 'venv', directory]);
  await quietly(join(directory, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${VERSION}`]);
  return command;
}

/** @returns its exit code; what it prints goes where our output goes */
export function runTool(
  command: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

async function hasPython(): Promise<boolean> {
  const question = `import sys, venv, ensurepip; sys.exit(sys.version_info < ${OLDEST_PYTHON})`;
  return quietly('python3', ['-c', question]).then(
    () => true,
    () => false,
  );
}

const quietly = promisify(execFile);
