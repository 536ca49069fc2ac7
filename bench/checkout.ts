/** The measured checkouts: this one, and another commit in a temporary directory. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface Checkout {
  root: string;
  /** Short hash. */
  commit: string;
  remove(): Promise<void>;
}

export async function thisCheckout(): Promise<Checkout> {
  return { root: ROOT, commit: await commitOf('HEAD'), remove: async () => {} };
}

/** @param ref any Git revision @throws Error for an unknown revision */
export async function otherCheckout(ref: string): Promise<Checkout> {
  const commit = await commitOf(ref);
  const parent = await mkdtemp(join(tmpdir(), 'package-import-bench-'));
  // PostgreSQL may run as a user of its own, who needs access to this directory.
  await chmod(parent, 0o711);
  const root = join(parent, commit);
  const remove = async () => {
    await git('worktree', 'remove', '--force', root).catch(() => '');
    await rm(parent, { recursive: true, force: true });
    await git('worktree', 'prune');
  };
  try {
    await git('worktree', 'add', '--detach', root, commit);
    await installPackages(root);
  } catch (error) {
    await remove();
    throw error;
  }
  return { root, commit, remove };
}

/** Uses the packages of this checkout when they are the same. */
async function installPackages(root: string): Promise<void> {
  const lock = (directory: string) => readFile(join(directory, 'package-lock.json'), 'utf8');
  if ((await lock(root)) === (await lock(ROOT)))
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction');
  else await (await installer()).installDependencies(root);
}

/** Plain JavaScript without types: it runs before any TypeScript of ours can. */
const installer = (): Promise<{ installDependencies(root: string): boolean | Promise<boolean> }> =>
  import(new URL('../tools/install.mjs', import.meta.url).href);

function commitOf(ref: string): Promise<string> {
  return git('rev-parse', '--short', '--verify', `${ref}^{commit}`);
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: ROOT });
  return stdout.trim();
}
