/** Walks through an archive's central directory. Every entry passes its guards, and the walk reads no data of entries. */
import { setImmediate } from 'node:timers/promises';
import { fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { excerpt, messageOf } from '../common/text.ts';
import { InvalidPackage } from '../domain/client-errors.ts';
import type { CachedReader } from './cached-reader.ts';
import type { DirectoryEnd } from './directory-end.ts';
import { type ArchiveEntry, guardArchive, guardEntry } from './guards.ts';
import { StorageFailure } from './storage.ts';

const RECORD_BYTES = 46;
/** Entries after which the loop yields to the event loop: cached data is read without waiting. */
const YIELD_EVERY = 200;

/** @throws InvalidPackage that names the entry at fault, or the fault of all entries together */
export async function readDirectory(source: CachedReader, end: DirectoryEnd): Promise<ArchiveEntry[]> {
  const entries = await Array.fromAsync(walkDirectory(source, end));
  guardArchive(entries, end.directoryStart);
  return entries;
}

/**
 * The entries one by one, in constant memory. The guards of all entries together are the caller's.
 *
 * @throws InvalidPackage that names the entry at fault
 */
export async function* walkDirectory(source: CachedReader, end: DirectoryEnd): AsyncGenerator<ArchiveEntry> {
  const zip = await open(source);
  const records = zip.eachEntry()[Symbol.asyncIterator]();
  let count = 0;
  let walked = 0;
  const next = async (): Promise<ArchiveEntry | null> => {
    try {
      const { value: entry, done } = await records.next();
      if (done) return null;
      const { fileNameLength, extraFieldLength, fileCommentLength } = entry;
      const guarded = guardEntry(entry, count);
      walked += RECORD_BYTES + fileNameLength + extraFieldLength + fileCommentLength;
      return guarded;
    } catch (error) {
      if (error instanceof StorageFailure || error instanceof InvalidPackage) throw error;
      const name = await nameAt(source, end.directoryStart + walked);
      const what = name === null ? `the record of entry ${count + 1}` : `entry "${name}"`;
      throw new InvalidPackage(`${what} is damaged or unsafe (${excerpt(messageOf(error), 200)})`);
    }
  };
  try {
    for (let entry = await next(); entry !== null; entry = await next()) {
      count += 1;
      yield entry;
      if (count % YIELD_EVERY === 0) await setImmediate();
    }
  } finally {
    zip.close();
  }
  if (walked !== end.directoryBytes || count !== end.entries) {
    throw new InvalidPackage(
      `the archive's central directory does not match its end record (${end.entries} entries in ${end.directoryBytes} bytes)`,
    );
  }
}

async function open(source: CachedReader): Promise<ZipFile> {
  try {
    // The guards judge sizes: yauzl would check them before it checks for encryption.
    const options = { autoClose: false, validateEntrySizes: false };
    return await fromRandomAccessReaderPromise(source, source.sizeBytes, options);
  } catch (error) {
    if (error instanceof StorageFailure) throw error;
    throw new InvalidPackage(`not a readable ZIP archive (${excerpt(messageOf(error), 200)})`);
  }
}

/** The name in a directory record that yauzl does not accept; null if there is none. */
async function nameAt(source: CachedReader, position: number): Promise<string | null> {
  try {
    const record = await source.bytes(position, position + RECORD_BYTES);
    const nameStart = position + RECORD_BYTES;
    const raw = await source.bytes(nameStart, nameStart + record.readUInt16LE(28));
    return excerpt(raw.toString('utf8'), 120);
  } catch {
    return null;
  }
}
