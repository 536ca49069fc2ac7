/** Tools of Go modules, built once and cached, and the published files of a module. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CACHE_DIRECTORY } from './cache-directory.ts';
import { findProgram } from './found-program.ts';
import { Unavailable } from './script.ts';

/** The result, or the reason why there is none. */
export type Found<T> = { found: T } | { found: null; reason: string };

const execute = promisify(execFile);
/** Output limit: Go prints each module that it fetches. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

export interface GoProgram {
  version: string;
  /** Path of its package. */
  package: string;
  /** Replacements that the build needs, as in `go mod edit -replace`: those of a dependency do not count for Go. */
  replace?: readonly string[];
}

/**
 * Builds a program as a dependency of a small temporary module: `go install` refuses a module with `replace` lines.
 *
 * @param path path of the binary
 * @throws with Go's output
 */
async function buildGoProgram(
  { version, package: source, replace = [] }: GoProgram,
  path: string,
): Promise<void> {
  const bin = dirname(path);
  await mkdir(bin, { recursive: true });
  const work = await mkdtemp(join(bin, 'incoming-'));
  try {
    const go = (...args: string[]) =>
      execute('go', args, { cwd: work, env: withAnyGo(), maxBuffer: MAX_OUTPUT_BYTES });
    await writeFile(join(work, 'go.mod'), 'module build\n\ngo 1.21\n');
    if (replace.length > 0) await go('mod', 'edit', ...replace.map((one) => `-replace=${one}`));
    await go('get', `${source}@${version}`);
    // Without inlining Go compiles in two thirds of the time.
    await go('build', '-gcflags=all=-l', '-o', 'program', source);
    await rename(join(work, 'program'), path);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * A program by its name on the PATH and in the cache, or built.
 *
 * @param name with the version, so that no other version is taken
 */
export async function findGoProgram(name: string, source: GoProgram): Promise<Found<string>> {
  const found = await findProgram(name);
  if (found !== null) return { found };
  const path = join(CACHE_DIRECTORY, 'bin', name);
  return buildGoProgram(source, path).then(
    () => ({ found: path }),
    (error) => ({ found: null, reason: `building ${name} failed: ${lastLine(error)}` }),
  );
}

/**
 * Like `findGoProgram`, for proofs that need the program.
 *
 * @throws Unavailable without the program and without Go
 */
export async function goProgram(
  name: string,
  source: GoProgram,
  say: (line: string) => void,
): Promise<string> {
  const found = await findProgram(name);
  if (found !== null) return found;
  if ((await findProgram('go')) === null) throw new Unavailable(`neither ${name} nor Go to build it is here`);
  say(`Building ${name} with Go (some minutes, once) …`);
  const path = join(CACHE_DIRECTORY, 'bin', name);
  await buildGoProgram(source, path);
  return path;
}

/** @param module as in `go mod download`, `path@version` @returns the directory with its files */
export async function findGoModule(module: string): Promise<Found<string>> {
  try {
    const { stdout } = await execute('go', ['mod', 'download', '-json', module], {
      cwd: '/',
      env: withAnyGo(),
    });
    return { found: (JSON.parse(stdout) as { Dir: string }).Dir };
  } catch (error) {
    return { found: null, reason: `${module} cannot be downloaded: ${lastLine(error)}` };
  }
}

/** @param module as `findGoModule` @returns the path of a file in it */
export async function findGoModuleFile(module: string, path: string): Promise<Found<string>> {
  const directory = await findGoModule(module);
  return directory.found === null ? directory : { found: join(directory.found, path) };
}

/** A module may need a newer Go than the installed one. Go fetches it, even where its setting says not to. */
function withAnyGo(): NodeJS.ProcessEnv {
  return { ...process.env, GOTOOLCHAIN: 'auto' };
}

function lastLine(error: unknown): string {
  return (error as Error).message.trim().split('\n').at(-1) ?? '';
}
