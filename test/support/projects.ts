/** Separates the test files that need PostgreSQL and Temporal, or many seconds for processes, from the others. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const ALL_TESTS = '{test,page/test}/**/*.test.{ts,tsx}';

/** Tests that take most of a minute or longer. They run in `npm run prove -- long`, not in `npm test`, which has twenty minutes. */
export const LONG_TESTS = [
  'test/end-to-end/backup.test.ts',
  'test/end-to-end/fairness.test.ts',
  'test/end-to-end/large-packages.test.ts',
  'test/end-to-end/large-sections.test.ts',
  'test/end-to-end/lost-readings.test.ts',
  'test/temporal/lost-tries.test.ts',
];

/** Tests that start many processes one after the other. They run with the tests that need servers. */
const TESTS_OF_PROCESSES = [
  'test/cli/packed.test.ts',
  'test/deploy/programs.test.ts',
  'test/gateway/process.test.ts',
  'test/gateway/stalled-readers.test.ts',
  'test/trial-parts/keeper.test.ts',
];

/** A test that imports one of these opens a database or starts a service. */
const SERVICES = /^test\/support\/(servers|starters\/(stack|page|world))\.ts$/;

/** A relative import of code in a TypeScript file: static, for re-export, or dynamic. */
const IMPORT =
  /^(?:import|export)\s(?!\s*type\s)(?:[^'";]*\sfrom\s)?\s*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

/**
 * The test files that import, directly or indirectly, one of `SERVICES`, and those of processes. A
 * misclassified file finds no servers and fails with the reason (test/support/servers.ts).
 */
export function testsOfServices(): string[] {
  return globSync(ALL_TESTS, { cwd: ROOT }).filter(
    (file) => TESTS_OF_PROCESSES.includes(file) || importsServices(file, new Set()),
  );
}

function importsServices(file: string, seen: Set<string>): boolean {
  if (SERVICES.test(file)) return true;
  // Only tests import tools of tests.
  if (seen.has(file) || !/^(test|bench|page\/test)\//.test(file)) return false;
  seen.add(file);
  return importsOf(file).some((imported) => importsServices(imported, seen));
}

/** Paths of the imported files. A missing file has none: the test that imports it reports it. */
function importsOf(file: string): string[] {
  const path = join(ROOT, file);
  if (!existsSync(path)) return [];
  const imports = readFileSync(path, 'utf8').matchAll(IMPORT);
  return Array.from(imports, ([, fixed, dynamic]) => join(dirname(file), fixed ?? dynamic ?? ''));
}
