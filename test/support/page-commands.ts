/** Runs the commands of a documentation page as an operator would. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandResult, resultOf } from './child-output.ts';

/** Working directory of the commands: the root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The command blocks by name: fences that open with `sh <name>`.
 *
 * @param page path from the root of the repository
 * @throws when a block has no name, or the name of another block
 */
export async function readCommands(page: string): Promise<Map<string, string>> {
  const text = await readFile(join(ROOT, page), 'utf8');
  const blocks = new Map<string, string>();
  for (const [, name = '', command = ''] of text.matchAll(/^```sh ?(.*)\n([\s\S]*?)^```$/gm)) {
    if (name === '' || blocks.has(name)) throw new Error(`A block without a name of its own: ${command}`);
    blocks.set(name, command);
  }
  return blocks;
}

/**
 * Runs commands in a shell. An unset variable ends it, and so does a failing command.
 *
 * @param options working directory (by default the root of the repository), and the signal that ends it
 */
export function shell(
  script: string,
  env: Record<string, string>,
  options: { cwd?: string; signal?: AbortSignal } = {},
): Promise<CommandResult> {
  return resultOf(
    spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: ROOT,
      ...options,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
}
