/**
 * Configures Git to run the hooks in `.husky`; tools/run.mjs calls this after every installation. It does
 * nothing in CI, without `.git`, and without the development dependencies. It does nothing in a linked
 * worktree, either: Git configures hooks for all worktrees at once, and the others may have other files.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const isClone = statSync(join(root, '.git'), { throwIfNoEntry: false })?.isDirectory() === true;

if (isClone && !process.env.CI && process.env.HUSKY !== '0') {
  process.chdir(root);
  try {
    const { default: installHooks } = await import('husky');
    const reason = installHooks();
    if (reason) process.stderr.write(`The commit hooks are not installed: ${reason}\n`);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
}
