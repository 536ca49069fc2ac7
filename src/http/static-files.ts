/**
 * Files that everybody may read, loaded once. Every answer refers to the same bytes, so that clients that read slowly
 * cost no memory, however many they are (decision §connections-are-bounded).
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context } from 'koa';

/** Contents by name. A file may lie beside its compressed forms, whose names end with one of {@link COMPRESSED}. */
export type StaticFiles = ReadonlyMap<string, Buffer>;

/** Endings by content coding, the best first. */
const COMPRESSED = { br: '.br', gzip: '.gz' };

/** @param names by default those of all files of the directory */
export async function loadFiles(directory: string, names?: readonly string[]): Promise<StaticFiles> {
  const load = async (name: string) => [name, await readFile(join(directory, name))] as const;
  return new Map(await Promise.all((names ?? (await readdir(directory))).map(load)));
}

/** @returns false when there is no such file */
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
