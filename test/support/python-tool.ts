/** Tools of PyPI, each in a Python environment of its own, kept in the cache. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface PythonTool {
  /** On PyPI, and the command's. */
  name: string;
  version: string;
}

const OLDEST_PYTHON = '(3, 10)';

/**
 * Installs a tool where it is not yet, from PyPI or what pip has been told to use in its place.
 *
 * @returns the directory of its commands, `python` among them, or null where there is no Python for it
 * @throws when pip fails, with what it said
 */
export async function installPythonTool(
  { name, version }: PythonTool,
  cacheDir: string,
  say: (line: string) => void,
): Promise<string | null> {
  const directory = join(cacheDir, `${name}-${version}`);
  const commands = join(directory, 'bin');
  // The command is the last that pip writes.
  if (existsSync(join(commands, name))) return commands;
  if (!(await hasPython())) return null;
  say(`Installing ${name} ${version} …`);
  await rm(directory, { recursive: true, force: true });
  await mkdir(cacheDir, { recursive: true });
  await quietly('python3', ['-m', 'venv', directory]);
  await quietly(join(commands, 'pip'), ['install', '--quiet', `${name}==${version}`]);
  return commands;
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
