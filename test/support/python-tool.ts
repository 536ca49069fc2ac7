/** Tools of PyPI, each in its own Python environment in the cache. */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { succeeds } from './eventually.ts';

export interface PythonTool {
  /** Name on PyPI and of the command. */
  name: string;
  version: string;
}

const OLDEST_PYTHON = '(3, 10)';

/**
 * Installs a missing tool from PyPI or from pip's configured replacement.
 *
 * @returns the directory of its commands, which includes `python`, or null if there is no suitable Python
 * @throws when pip fails, with its output
 */
export async function installPythonTool(
  { name, version }: PythonTool,
  cacheDir: string,
  say: (line: string) => void,
): Promise<string | null> {
  const directory = join(cacheDir, `${name}-${version}`);
  const commands = join(directory, 'bin');
  // Pip writes the command last, so its presence means a complete installation.
  if (existsSync(join(commands, name))) return commands;
  if (!(await hasPython())) return null;
  say(`Installing ${name} ${version} …`);
  await rm(directory, { recursive: true, force: true });
  await mkdir(cacheDir, { recursive: true });
  await quietly('python3', ['-m', 'venv', directory]);
  await quietly(join(commands, 'pip'), ['install', '--quiet', `${name}==${version}`]);
  return commands;
}

/** @returns its exit code; its output goes to this process's output */
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
  return succeeds(quietly('python3', ['-c', question]));
}

const quietly = promisify(execFile);
