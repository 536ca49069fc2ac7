/** Archive storage in a directory. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { StorageFull } from '../domain/client-errors.ts';
import { renameForGood, writeFile } from './durable-files.ts';
import {
  type ArchiveStorage,
  FileMissing,
  type PutOptions,
  StorageFailure,
  type StoredFile,
} from './storage.ts';

/** Directory for incomplete files. It is on the same file system, so the rename of a complete file is atomic. */
const INCOMING = '.incoming';
const PIECE_BYTES = 256 * 1024;

export function createLocalStorage(directory: string): ArchiveStorage {
  const incoming = join(directory, INCOMING);
  const locate = (key: string) => {
    const segments = key.split('/');
    if (segments.some((segment) => /^\.{0,2}$/.test(segment) || /[\\\0]/.test(segment)))
      throw new Error('A storage key must not point outside the archive');
    return join(directory, ...segments);
  };

  async function put(key: string, source: Readable, options: PutOptions = {}): Promise<StoredFile> {
    const temporary = join(incoming, randomUUID());
    try {
      await mkdir(incoming, { recursive: true });
      const stored = await writeFile(temporary, source, options);
      await renameForGood(temporary, locate(key));
      return stored;
    } catch (error) {
      source.destroy();
      await rm(temporary, { force: true }).catch(() => {}); // `sweep` removes it later.
      throw isFull(error) ? new StorageFull() : error;
    }
  }

  /** An empty directory does not prove that a file is gone: a volume that is not mounted is empty too. */
  async function requireAnyFile(): Promise<void> {
    const names = await readdir(directory).catch((error) => {
      throw new StorageFailure(error);
    });
    if (names.some((name) => name !== INCOMING)) return;
    throw new StorageFailure(`nothing is stored in ${directory}: is its volume mounted?`);
  }

  return {
    put,
    locate,
    async open(key) {
      const path = locate(key);
      const handle = await open(path, 'r').catch(async (error) => {
        if (!isMissing(error)) throw error;
        await requireAnyFile();
        throw new FileMissing(path);
      });
      const { size } = await handle.stat();
      return {
        sizeBytes: size,
        pieceBytes: PIECE_BYTES,
        read: (start, end) => readRange(handle, start, end),
        // A network file system may report an error of its own here.
        close: () => handle.close().catch(() => {}),
      };
    },
    remove: (key) => rm(locate(key), { force: true }),
    async move(from, to) {
      await renameForGood(locate(from), locate(to)).catch((error) => {
        throw isMissing(error) ? new FileMissing(locate(from)) : error;
      });
    },
    async has(key) {
      return (await writtenAt(locate(key))) !== null;
    },
    list: (folder, olderThanMs) => filesUnder(locate(folder), folder, Date.now() - olderThanMs),
    async sweep(olderThanMs) {
      let removed = 0;
      for await (const name of filesUnder(incoming, INCOMING, Date.now() - olderThanMs)) {
        await rm(locate(name), { force: true });
        removed += 1;
      }
      return removed;
    },
    async ping() {
      await mkdir(incoming, { recursive: true });
      const probe = join(incoming, `probe-${randomUUID()}`);
      const handle = await open(probe, 'w');
      await handle.close();
      await rm(probe, { force: true });
    },
    async freeBytes() {
      await mkdir(incoming, { recursive: true });
      const { bavail, bsize } = await statfs(incoming);
      return bavail * bsize;
    },
  };
}

/** Keys of the files in a directory and its subdirectories that were written before `before` (Unix time in ms). */
async function* filesUnder(directory: string, folder: string, before: number): AsyncGenerator<string> {
  const entries = await opendir(directory).catch((error) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for await (const entry of entries) {
    const [path, key] = [join(directory, entry.name), `${folder}/${entry.name}`];
    if (entry.isDirectory()) yield* filesUnder(path, key, before);
    else if (((await writtenAt(path)) ?? before) < before) yield key;
  }
}

/** Unix time in milliseconds; null when there is no such file. */
async function writtenAt(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

/** The file system has no room, or the user's quota is used up. */
function isFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}
