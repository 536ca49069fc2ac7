/**
 * Public static files, loaded once. All answers share the same buffers, so that slow clients cost no further memory
 * (decision §connections-are-bounded).
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context } from 'koa';

/** Contents by name. A file may have compressed forms, whose names end with one of {@link COMPRESSED}. */
export type StaticFiles = ReadonlyMap<string, Buffer>;

/** File name endings by content coding, in order of preference. */
const COMPRESSED = { br: '.br', gzip: '.gz' };

/** @param names by default all files of the directory */
export async function loadFiles(directory: string, names?: readonly string[]): Promise<StaticFiles> {
  const load = async (name: string) => [name, await readFile(join(directory, name))] as const;
  return new Map(await Promise.all((names ?? (await readdir(directory))).map(load)));
}

/** @returns false if there is no such file */
export function sendFile(ctx: Context, files: StaticFiles, name: string): boolean {
  const plain = files.get(name);
  if (plain === undefined) return false;
  ctx.type = extname(name);
  ctx.vary('Accept-Encoding');
  for (const [coding, ending] of Object.entries(COMPRESSED)) {
    const compressed = files.get(name + ending);
    if (compressed === undefined || ctx.acceptsEncodings(coding, 'identity') !== coding) continue;
    ctx.set('Content-Encoding', coding);
    ctx.body = compressed;
    return true;
  }
  ctx.body = plain;
  return true;
}
