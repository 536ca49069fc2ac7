/** Programs that are built with Go, once, on machines without them. */
import { join } from 'node:path';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { findProgram } from '../support/found-program.ts';
import { buildGoProgram } from '../support/go-tool.ts';
import { Unavailable } from '../support/script.ts';

/**
 * @param name in the cache, and on the PATH
 * @returns the path of the program
 * @throws Unavailable without the program and without Go
 */
export async function goProgram(
  name: string,
  source: { package: string; version: string },
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
