/**
 * `npm test`: lint, types, import directions, then all tests. Everything runs even when something before
 * it failed. The output ends with the slowest tests, the skipped ones, the failed ones, and the line
 * `N passed, N failed`. With `--quick`, the tests that need neither PostgreSQL nor Temporal (`npm run test:quick`); with
 * the names of files, those alone, no checks, and no list of the slowest.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);

interface Totals {
  passed: number;
  /** Titles, those of tests with the first line of the failure. */
  failed: string[];
  skipped: string[];
  /** The slowest first. */
  slowest: string[];
}

/** Number of the slowest tests that are listed. */
const SLOWEST = 30;

/** Caches for unchanged files. They are deleted with the dependencies, on which they depend. */
const CACHE = join(ROOT, 'node_modules', '.cache');
const incremental = (name: string) => [
  '--incremental',
  '--tsBuildInfoFile',
  join(CACHE, `${name}.tsbuildinfo`),
];

// Node's cache of compiled code, for the tests and for every process that they start.
process.env.NODE_COMPILE_CACHE ??= join(CACHE, 'node');

/** Checks that have one result each. */
const CHECKS: { title: string; command: string; args: string[] }[] = [
  { title: 'Lint and format', command: bin('biome'), args: ['ci', '--colors=off', '.'] },
  {
    title: 'Types',
    command: bin('tsc'),
    args: ['--project', '.', ...incremental('types')],
  },
  { title: 'Types of the page', command: bin('tsc'), args: ['--project', 'page', ...incremental('page')] },
  {
    title: 'Import directions',
    command: bin('depcruise'),
    args: [
      '--cache',
      join(CACHE, 'dependency-cruiser'),
      '--cache-strategy',
      'content',
      '--config',
      '.dependency-cruiser.mjs',
      'src',
      'cli',
      'page',
      'workflows',
      'activities',
      'tools',
      'test',
      'bench',
    ],
  },
];

const running = new Set<ChildProcess>();
// A signal to npm reaches only this process, and a Ctrl-C the children, too.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  });

const quick = process.argv.includes('--quick');
const only = process.argv.slice(2).filter((argument) => argument !== '--quick');
const totals: Totals = { passed: 0, failed: [], skipped: [], slowest: [] };
if (only.length === 0) {
  // All at once: together they take as long as the longest, the types.
  const checks = CHECKS.map(({ title, command, args }) => ({ title, ended: collect(command, args) }));
  for (const { title, ended } of checks) {
    const { code, output } = await ended;
    say(`\n— ${title}\n${output.trimEnd()}`);
    if (code === 0) totals.passed += 1;
    else totals.failed.push(title);
  }
}
say('\n— Tests');
const projects = ['--project=quick', '--project=isolated', ...(quick ? [] : ['--project=services'])];
add(await runTests(only.length > 0 && !quick ? only : [...projects, ...only]));
if (only.length === 0) {
  say(`\n— The ${totals.slowest.length} slowest tests`);
  for (const line of totals.slowest) say(line);
  say('');
}
for (const title of totals.skipped) say(`skipped: ${title}`);
// Near the end, because CI systems show the end of a long output.
for (const title of totals.failed) say(`failed: ${title}`);
say(`\n${totals.passed} passed, ${totals.failed.length} failed`);
process.exit(totals.failed.length === 0 ? 0 : 1);

async function runTests(filters: string[]): Promise<Totals> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-results-'));
  const results = join(directory, 'results.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
    const code = await run(bin('vitest'), ['run', ...reporters, ...filters]);
    const report = JSON.parse(await readFile(results, 'utf8')) as VitestReport;
    const tests = report.testResults.flatMap((file) => file.assertionResults);
    const of = (status: string) => tests.filter((test) => test.status === status);
    const failed = failuresOf(report);
    if (failed.length === 0 && code !== 0)
      failed.push('an error outside all tests (see "Unhandled Errors" above)');
    return {
      passed: of('passed').length,
      failed,
      skipped: [...of('skipped'), ...of('pending'), ...of('todo')].map((test) => test.fullName),
      slowest: slowestOf(report),
    };
  } catch (error) {
    return {
      passed: 0,
      failed: [`the tests did not run: ${(error as Error).message}`],
      skipped: [],
      slowest: [],
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface VitestFile {
  /** Absolute path. */
  name: string;
  status: string;
  /** Why the file could not be loaded. */
  message: string;
  /** `duration` is in milliseconds; a skipped test has none. */
  assertionResults: {
    status: string;
    fullName: string;
    duration?: number | null;
    failureMessages?: string[] | null;
  }[];
}

interface VitestReport {
  testResults: VitestFile[];
}

/** One line per failed test, and per file that could not be loaded: file, title, first line of the failure. */
function failuresOf({ testResults }: VitestReport): string[] {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter((test) => test.status === 'failed');
      const failures = failed.length > 0 ? failed : [{ fullName: 'the file', failureMessages: [message] }];
      return failures.map(
        ({ fullName, failureMessages }) =>
          `${relative(ROOT, name)} › ${fullName}: ${failureMessages?.[0]?.split('\n', 1)[0]}`,
      );
    });
}

/** One line per test: seconds, file, title. */
function slowestOf({ testResults }: VitestReport): string[] {
  return testResults
    .flatMap(({ name, assertionResults }) =>
      assertionResults.map(({ fullName, duration }) => ({
        file: relative(ROOT, name),
        fullName,
        ms: duration ?? 0,
      })),
    )
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST)
    .map(({ file, fullName, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${file} › ${fullName}`);
}

function run(command: string, args: string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.once('error', (error) => {
      say(error.message);
      resolve(1);
    });
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** Runs a command whose output is shown when its turn comes. */
function collect(command: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    child.once('exit', () => running.delete(child));
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    child.once('error', (error) => resolve({ code: 1, output: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function add(more: Totals): void {
  totals.passed += more.passed;
  totals.failed.push(...more.failed);
  totals.skipped.push(...more.skipped);
  totals.slowest.push(...more.slowest);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
