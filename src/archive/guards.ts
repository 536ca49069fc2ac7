/**
 * The checks that an archive must pass before any of its data is read: everything that the central
 * directory tells about a hostile or unreadable archive (package format §6; yauzl itself refuses `..`,
 * absolute paths and drive letters).
 */
import type { Entry } from 'yauzl';
import { InvalidPackage } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';
import { isLitter, normalizeEntryName } from './layout.ts';
import type { PackageLimits } from './limits.ts';

/** An entry that passed, with its normalized name and its position in the archive (from 0). */
export interface GuardedEntry {
  index: number;
  name: string;
  entry: Entry;
}

const UNIX = 3;
const MACOS = 19;
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const DIRECTORY = 0o040000;
const STORED = 0;
const DEFLATED = 8;
const LOCAL_HEADER_BYTES = 30;

/** The encoding methods that tools still write, by name: so that the message says what to change. */
const METHOD_NAMES: Readonly<Record<number, string>> = {
  1: 'shrunk',
  6: 'imploded',
  9: 'Deflate64',
  12: 'BZIP2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'XZ',
  98: 'PPMd',
  99: 'AES-encrypted',
};

/** @throws InvalidPackage with the entry at fault */
export function guardEntry(entry: Entry, index: number, limits: PackageLimits): GuardedEntry {
  const name = normalizeEntryName(entry.fileName);
  const shown = `"${excerpt(entry.fileName, 120)}"`;
  if (entry.fileName.includes('\0'))
    throw new InvalidPackage(`entry ${shown} has a NUL character in its name`);
  if (entry.isEncrypted())
    throw new InvalidPackage(`entry ${shown} is encrypted; send an archive without a password`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    const method = METHOD_NAMES[entry.compressionMethod] ?? `method ${entry.compressionMethod}`;
    throw new InvalidPackage(
      `entry ${shown} uses an unsupported compression (${method}); use Deflate or store it`,
    );
  }
  refuseSpecialFile(entry, shown);
  if (entry.uncompressedSize > limits.entryBytes) {
    throw new InvalidPackage(
      `entry ${shown} is ${entry.uncompressedSize} bytes large; at most ${limits.entryBytes} are accepted`,
    );
  }
  refuseRatio(entry.uncompressedSize, entry.compressedSize, `entry ${shown}`, limits);
  return { index, name, entry };
}

/** @throws InvalidPackage when the entries together are too much, share a name, or share bytes */
export function guardArchive(entries: readonly GuardedEntry[], limits: PackageLimits): void {
  let uncompressed = 0;
  let compressed = 0;
  const seen = new Set<string>();
  for (const { name, entry } of entries) {
    uncompressed += entry.uncompressedSize;
    compressed += entry.compressedSize;
    if (isLitter(name) || name.endsWith('/') || name === '') continue;
    if (seen.has(name)) throw new InvalidPackage(`the name "${excerpt(name, 120)}" occurs more than once`);
    seen.add(name);
  }
  if (uncompressed > limits.totalBytes) {
    throw new InvalidPackage(
      `the archive unpacks to ${uncompressed} bytes; at most ${limits.totalBytes} are accepted`,
    );
  }
  refuseRatio(uncompressed, compressed, 'the archive', limits);
  refuseOverlaps(entries);
}

function refuseRatio(uncompressed: number, compressed: number, what: string, limits: PackageLimits): void {
  if (uncompressed <= limits.ratioFromBytes || uncompressed <= compressed * limits.ratio) return;
  const ratio = compressed === 0 ? 'infinitely' : `${Math.round(uncompressed / compressed)} times`;
  throw new InvalidPackage(
    `${what} is compressed ${ratio} (${compressed} to ${uncompressed} bytes); at most ${limits.ratio} times is accepted`,
  );
}

function refuseSpecialFile(entry: Entry, shown: string): void {
  const host = entry.versionMadeBy >>> 8;
  if (host !== UNIX && host !== MACOS) return;
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type === 0 || type === REGULAR_FILE || type === DIRECTORY) return;
  const kind = type === 0o120000 ? 'a symbolic link' : 'a special file';
  throw new InvalidPackage(`entry ${shown} is ${kind}; only files and directories are accepted`);
}

function refuseOverlaps(entries: readonly GuardedEntry[]): void {
  const byOffset = [...entries].sort(
    (a, b) => a.entry.relativeOffsetOfLocalHeader - b.entry.relativeOffsetOfLocalHeader,
  );
  let end = 0;
  let previous = '';
  for (const { entry, name } of byOffset) {
    if (entry.relativeOffsetOfLocalHeader < end) {
      throw new InvalidPackage(`entries "${excerpt(previous, 120)}" and "${excerpt(name, 120)}" overlap`);
    }
    end =
      entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
    previous = name;
  }
}
