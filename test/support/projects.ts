/** Tells the test files that need PostgreSQL and Temporal from those that need neither. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const ALL_TESTS = '{test,page/test}/**/*.test.{ts,tsx}';

/** Proofs that take most of a minute each or more; `npm run prove -- long`, and no part of `npm test`, which has twenty minutes. */
export const LONG_TESTS = [
  'test/end-to-end/backup.test.ts',
  'test/end-to-end/fairness.test.ts',
  'test/end-to-end/large-packages.test.ts',
  'test/end-to-end/lost-readings.test.ts',
  'test/temporal/lost-tries.test.ts',
];

/** Whoever imports something of it as code needs the servers: it starts a service, or opens a database. */
const SERVICES = 'test/support/services/';

/**
 * The test files that import, however indirectly, what needs the servers. Nobody keeps a list: a file that is
 * told apart wrongly finds no servers and fails, with the reason (test/support/services/servers.ts).
 */
export async function testsOfServices(): Promise<string[]> {
  const files = globSync(ALL_TESTS, { cwd: ROOT });
  const modules = await modulesOf(files);
  // A file that cannot be read says so when it is run. Until then it is not known who needs what.
  if (modules === null) return files;
  return files.filter((file) => importsServices(file, modules, new Set()));
}

function importsServices(file: string, modules: Metafile['inputs'], seen: Set<string>): boolean {
  if (file.startsWith(SERVICES)) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return (modules[file]?.imports ?? []).some(({ path }) => importsServices(path, modules, seen));
}

/** What each module imports as code. Null when one of them has a fault. */
async function modulesOf(files: string[]): Promise<Metafile['inputs'] | null> {
  try {
    const { metafile } = await build({
      ...{ absWorkingDir: ROOT, entryPoints: files, outdir: 'nowhere', write: false, logLevel: 'silent' },
      ...{ bundle: true, packages: 'external', platform: 'node', format: 'esm', metafile: true },
    });
    return metafile.inputs;
  } catch {
    return null;
  }
}
