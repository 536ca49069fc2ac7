/** Separates the test files that need PostgreSQL and Temporal from the others. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const ALL_TESTS = '{test,page/test}/**/*.test.{ts,tsx}';

/** Tests that take most of a minute or longer. They run in `npm run prove -- long`, not in `npm test`, which has twenty minutes. */
export const LONG_TESTS = [
  'test/end-to-end/backup.test.ts',
  'test/end-to-end/fairness.test.ts',
  'test/end-to-end/large-packages.test.ts',
  'test/end-to-end/lost-readings.test.ts',
  'test/temporal/lost-tries.test.ts',
];

/** A test that imports one of these needs the servers: it starts a service, or opens a database. */
const SERVICES = /^test\/support\/(servers|starters\/(stack|page|world))\.ts$/;

/**
 * The test files that import, directly or indirectly, code that needs the servers. There is no list to maintain. A
 * misclassified file finds no servers and fails with the reason (test/support/servers.ts).
 */
export async function testsOfServices(): Promise<string[]> {
  const files = globSync(ALL_TESTS, { cwd: ROOT });
  const modules = await modulesOf(files);
  // A faulty file reports its error when it runs. Until then the imports are unknown, so all files count as needing servers.
  if (modules === null) return files;
  return files.filter((file) => importsServices(file, modules, new Set()));
}

function importsServices(file: string, modules: Metafile['inputs'], seen: Set<string>): boolean {
  if (SERVICES.test(file)) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  return (modules[file]?.imports ?? []).some(({ path }) => importsServices(path, modules, seen));
}

/** The code imports of each module. Null if a module has a fault. */
async function modulesOf(files: string[]): Promise<Metafile['inputs'] | null> {
  try {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: files,
      outdir: 'nowhere',
      write: false,
      logLevel: 'silent',
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      metafile: true,
    });
    return metafile.inputs;
  } catch {
    return null;
  }
}
