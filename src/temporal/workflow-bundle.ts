/** Bundle of the workflow code for workers: built once per state of the sources, and cached. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORKFLOWS = join(ROOT, 'workflows');
/** Folders of the bundled sources. Their digest is the name of the cached bundle. */
export const SOURCES = ['workflows', join('src', 'common'), join('src', 'contract'), join('src', 'domain')];
/** Bundles that the cache holds: some checkouts and releases may share it. */
const MAX_KEPT = 5;

/**
 * Bundles the workflows, or loads the cached bundle of the same sources. Without a writable cache, as in a read-only
 * container, every start bundles again, which takes some seconds.
 */
export async function loadWorkflowBundle(cacheDir: string): Promise<{ code: string }> {
  const directory = join(cacheDir, 'workflow-bundles');
  const path = join(directory, `${await sha256OfSources()}.js`);
  const kept = await readFile(path, 'utf8').catch(() => null);
  if (kept !== null) return { code: kept };
  const { code } = await bundle();
  await keep(directory, path, code).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EROFS' && error.code !== 'EACCES') throw error;
  });
  return { code };
}

function bundle(): Promise<{ code: string }> {
  const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  return bundleWorkflowCode({
    workflowsPath: join(WORKFLOWS, 'index.ts'),
    workflowInterceptorModules: [join(WORKFLOWS, 'interceptors.ts')],
    logger: quiet,
  });
}

async function keep(directory: string, path: string, code: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, path);
  await removeOld(directory).catch(() => {}); // Another process may remove the same.
}

async function removeOld(directory: string): Promise<void> {
  const bundles = (await readdir(directory)).map(async (name) => {
    const path = join(directory, name);
    return { path, writtenAt: (await stat(path)).mtimeMs };
  });
  const old = (await Promise.all(bundles)).toSorted((a, b) => b.writtenAt - a.writtenAt).slice(MAX_KEPT);
  await Promise.all(old.map(({ path }) => rm(path)));
}

/** Digest of the sources, independent of their directory. */
async function sha256OfSources(): Promise<string> {
  const hash = createHash('sha256');
  const { version } = createRequire(import.meta.url)('@temporalio/worker/package.json') as {
    version: string;
  };
  hash.update(version);
  for (const source of SOURCES) {
    const directory = join(ROOT, source);
    for (const name of (await readdir(directory)).sort()) {
      if (name.endsWith('.ts')) hash.update(name).update(await readFile(join(directory, name)));
    }
  }
  return hash.digest('hex').slice(0, 32);
}
