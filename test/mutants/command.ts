/**
 * `npm run prove -- mutants [word …]`: changes one rule of the service at a time and runs the tests nearest to it. A
 * mutant is caught when one of them fails. With words: only mutants whose rule or file contains one of them.
 *
 * It works in a copy of the working tree, so that nothing of the tree changes. It ends with 1 if a mutant survives, if an
 * entry of the list is stale, if a mutant does not type-check, or if a test fails without a mutant.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MUTANTS, type Mutant, staleReason } from './list.ts';
import { startTestRunner, type TestRunner } from './test-runner.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/**
 * Mutants between two starts of the servers, which have a limited number of namespaces (test/support/global-setup.ts).
 */
const MUTANTS_PER_START = 20;

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = MUTANTS.filter(({ rule, file }) =>
  words.length === 0 ? true : words.some((word) => `${rule} ${file}`.toLowerCase().includes(word)),
);
if (chosen.length === 0) {
  process.stderr.write(`No mutant has ${words.join(' or ')} in its rule or its file.\n`);
  process.exit(2);
}
let runner: TestRunner | undefined;

const copy = await realpath(await mkdtemp(join(tmpdir(), 'package-import-mutants-')));
try {
  await copyTree(copy);
  process.exitCode = (await isUsable()) && (await countCaught()) === chosen.length ? 0 : 1;
} finally {
  await runner?.close();
  await rm(copy, { recursive: true, force: true });
}
// A worker of a test that was cut short may still hold a handle.
process.exit();

/** Changes the file. @returns changes it back */
async function mutate(root: string, { file, find, replace }: Mutant): Promise<() => Promise<void>> {
  const path = join(root, file);
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
  return () => writeFile(path, text);
}

/** Copies the files that Git knows or would add, as they are now, and links the dependencies. */
async function copyTree(target: string): Promise<void> {
  const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const { stdout } = await run('git', options, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
  for (const path of stdout.split('\0').filter((name) => name !== ''))
    await cp(join(ROOT, path), join(target, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error; // It is deleted, and not committed yet.
    });
  await symlink(await realpath(join(ROOT, 'node_modules')), join(target, 'node_modules'));
}

/** Whether every mutant can be made and type-checks, and every test passes without one. */
async function isUsable(): Promise<boolean> {
  const faults: string[] = [];
  for (const mutant of chosen) {
    const reason = await staleReason(copy, mutant);
    if (reason !== null) faults.push(`stale    ${mutant.rule}: ${reason}`);
  }
  if (faults.length === 0) faults.push(...(await typeFaults()), ...(await failuresWithout()));
  for (const fault of faults) say(fault);
  return faults.length === 0;
}

/** Errors of the compiler with all mutants at once: a mutant that the compiler catches is none. */
async function typeFaults(): Promise<string[]> {
  const undo: (() => Promise<void>)[] = [];
  for (const mutant of chosen) undo.unshift(await mutate(copy, mutant));
  try {
    await run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '--project', '.'], {
      cwd: copy,
    });
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n').filter((line) => /error TS/.test(line));
  } finally {
    for (const one of undo) await one();
  }
}

async function failuresWithout(): Promise<string[]> {
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  runner = await startTestRunner(copy);
  const failed = await runner.run(tests, 'the end');
  return failed.map((failure) => `fails without a mutant: ${failure}`);
}

async function countCaught(): Promise<number> {
  let caught = 0;
  for (const [index, mutant] of chosen.entries()) {
    if (index % MUTANTS_PER_START === 0) {
      await runner?.close();
      runner = await startTestRunner(copy);
    }
    const began = performance.now();
    const failed = await failuresWith(mutant);
    const seconds = Math.round((performance.now() - began) / 1000);
    if (failed.length > 0) caught += 1;
    const how = failed[0] === undefined ? mutant.tests.join(', ') : `by "${failed[0]}"`;
    say(`${failed.length > 0 ? 'caught  ' : 'SURVIVED'} ${mutant.rule} — ${how} (${seconds} s)`);
  }
  say(`\n${caught} of ${chosen.length} caught, ${chosen.length - caught} survived`);
  return caught;
}

async function failuresWith(mutant: Mutant): Promise<string[]> {
  const undo = await mutate(copy, mutant);
  runner?.forget(mutant.file);
  try {
    return (await runner?.run(mutant.tests, 'the first failure')) ?? [];
  } finally {
    await undo();
    runner?.forget(mutant.file);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
