/** Archive storage in a directory. */
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { type ArchiveStorage, FileMissing, type StoredFile, type StoredFileReader } from './storage.ts';

/** Writes go here first and are renamed when whole: same file system, so that the rename is atomic. */
const INCOMING = '.incoming';
const CHUNK_BYTES = 256 * 1024;

export function createLocalStorage(directory: string): ArchiveStorage {
  const incoming = join(directory, INCOMING);
  const locate = (key: string) => join(directory, ...key.split('/'));

  async function put(key: string, source: Readable): Promise<StoredFile> {
    await mkdir(incoming, { recursive: true });
    const temporary = join(incoming, randomUUID());
    try {
      const stored = await writeWhole(temporary, source);
      const target = locate(key);
      await mkdir(dirname(target), { recursive: true });
      await rename(temporary, target);
      return stored;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    put,
    locate,
    open: (key) => openReader(locate(key)),
    remove: (key) => rm(locate(key), { force: true }),
    async move(from, to) {
      await mkdir(dirname(locate(to)), { recursive: true });
      await rename(locate(from), locate(to));
    },
    has: (key) =>
      stat(locate(key)).then(
        () => true,
        () => false,
      ),
    async sweep(olderThanMs) {
      const names = await readdir(incoming).catch(() => []);
      let removed = 0;
      for (const name of names) {
        const path = join(incoming, name);
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
        if (Date.now() - mtimeMs < olderThanMs) continue;
        await rm(path, { force: true });
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
  };
}

async function writeWhole(path: string, source: Readable): Promise<StoredFile> {
  const hash = createHash('sha256');
  const handle = await open(path, 'wx', 0o600);
  try {
    let sizeBytes = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      hash.update(chunk);
      await writeAll(handle, chunk);
      sizeBytes += chunk.length;
    }
    await handle.sync();
    return { sizeBytes, sha256: hash.digest('hex') };
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, chunk: Buffer): Promise<void> {
  for (let offset = 0; offset < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, offset);
    offset += bytesWritten;
  }
}

async function openReader(path: string): Promise<StoredFileReader> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new FileMissing(path) : error;
  });
  const { size } = await handle.stat();
  return {
    sizeBytes: size,
    stream: (start, end) => Readable.from(chunks(handle, start, end), { objectMode: false }),
    read: (start, end) => readRange(handle, start, end),
    close: () => handle.close(),
  };
}

async function readRange(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  return buffer.subarray(0, bytesRead);
}

async function* chunks(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end; ) {
    const chunk = await readRange(handle, position, Math.min(end, position + CHUNK_BYTES));
    if (chunk.length === 0) return;
    yield chunk;
    position += chunk.length;
  }
}
