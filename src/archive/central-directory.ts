/** Walks through an archive's central directory. Every entry passes the guards, and no data is read. */
import { setImmediate } from 'node:timers/promises';
import { fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { excerpt } from '../common/text.ts';
import { InvalidPackage, messageOf } from '../domain/errors.ts';
import type { CachedReader } from './cached-reader.ts';
import type { DirectoryEnd } from './directory-end.ts';
import { type ArchiveEntry, guardArchive, guardEntry } from './guards.ts';
import type { PackageLimits } from './limits.ts';
import { StorageFailure } from './storage.ts';

const RECORD_BYTES = 46;
/** Number of entries between two pauses for other work: cached data is read without waiting. */
const TURN = 200;

/** @throws InvalidPackage that names the entry at fault, or the fault of all entries together */
export async function readDirectory(
  source: CachedReader,
  end: DirectoryEnd,
  limits: PackageLimits,
): Promise<ArchiveEntry[]> {
  const zip = await open(source);
  const entries: ArchiveEntry[] = [];
  let walked = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      entries.push(guardEntry(entry, entries.length, limits));
      const { fileNameLength, extraFieldLength, fileCommentLength } = entry;
      walked += RECORD_BYTES + fileNameLength + extraFieldLength + fileCommentLength;
      if (walked > end.directoryBytes) break;
      if (entries.length % TURN === 0) await setImmediate();
    }
  } catch (error) {
    if (error instanceof StorageFailure || error instanceof InvalidPackage) throw error;
    const name = await nameAt(source, end.directoryStart + walked);
    const what = name === null ? `the record of entry ${entries.length + 1}` : `entry "${name}"`;
    throw new InvalidPackage(`${what} is damaged or unsafe (${excerpt(messageOf(error), 200)})`);
  } finally {
    zip.close();
  }
  if (walked !== end.directoryBytes || entries.length !== end.entries) {
    throw new InvalidPackage(
      `the archive's directory is not as its end record says (${end.entries} entries in ${end.directoryBytes} bytes)`,
    );
  }
  guardArchive(entries, end.directoryStart, limits);
  return entries;
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
