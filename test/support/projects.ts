/** Separates the test files that need PostgreSQL and Temporal, or many seconds, from the others. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const ALL_TESTS = '{test,page/test}/**/*.test.{ts,tsx}';

/** Tests of the largest sizes, and others that take half a minute of a core. They run in `npm run prove -- long`. */
export const LONG_TESTS = [
  'test/database/lists-at-size.test.ts',
  'test/end-to-end/backup.test.ts',
  'test/end-to-end/batches.test.ts',
  'test/end-to-end/fairness.test.ts',
  'test/end-to-end/large-import.test.ts',
  'test/end-to-end/large-packages.test.ts',
  'test/end-to-end/large-reports.test.ts',
  'test/end-to-end/large-sections.test.ts',
  'test/end-to-end/lost-readings.test.ts',
  'test/end-to-end/memory.test.ts',
  'test/page/large-file.test.ts',
  'test/temporal/lost-attempts.test.ts',
  'test/temporal/patch-markers.test.ts',
];

/**
 * Tests without servers that take more than four seconds: they start processes, send much, or wait for a time limit. They
 * run with the tests that need servers, so that `npm run test:quick` takes about a minute.
 */
const SLOW_TESTS = [
  'test/archive/storage.test.ts',
  'test/archive/s3-storage.test.ts',
  'test/cli/completion.test.ts',
  'test/deploy/alerts.test.ts',
  'test/deploy/kubernetes/overlays.test.ts',
  'test/deploy/programs.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/gateway/connections.test.ts',
  'test/gateway/order.test.ts',
  'test/gateway/process.test.ts',
  'test/gateway/quotas.test.ts',
  'test/gateway/reads.test.ts',
  'test/gateway/stalled-readers.test.ts',
  'test/gateway/streaming.test.ts',
  'test/gateway/token-keys.test.ts',
  'test/http/server.test.ts',
  'test/notifications/webhooks/receivers.test.ts',
  'test/observability/gauges.test.ts',
  'test/products/hostile-xml.test.ts',
  'test/regulator/http-client.test.ts',
  'test/replay/replay.test.ts',
  'test/support/restartable.test.ts',
  'test/tools/package-generator/expectations.test.ts',
  'test/tools/run.test.ts',
  'test/trial-parts/embedded-servers-process.test.ts',
];

/** A test that imports one of these opens a database or starts a service. */
const SERVICES = /^test\/support\/(servers|starters\/(stack|page|world))\.ts$/;

/** A relative import of code in a TypeScript file: static, for re-export, or dynamic. */
const IMPORT =
  /^(?:import|export)\s(?!\s*type\s)(?:[^'";]*\sfrom\s)?\s*'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

/**
 * The test files that import, directly or indirectly, one of `SERVICES`, and the slow ones. A
 * misclassified file finds no servers and fails with the reason (test/support/servers.ts).
 */
export function testsOfServices(): string[] {
  return globSync(ALL_TESTS, { cwd: ROOT }).filter(
    (file) => SLOW_TESTS.includes(file) || importsServices(file, new Set()),
  );
}

/**
 * The test files that get a process of their own, and Vite: those of the page load JSX and styles, others mock modules,
 * and others set up Temporal's core, which is one per process.
 */
export function isolatedTests(): string[] {
  const isIsolated = (file: string) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return file.startsWith('page/') || text.includes('vi.mock(') || text.includes('Runtime.instance()');
  };
  return globSync(ALL_TESTS, { cwd: ROOT }).filter(isIsolated);
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
