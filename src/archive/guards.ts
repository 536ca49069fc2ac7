/**
 * The checks that an archive must pass before any of its data is read. They use everything that the central directory
 * says about a hostile or unreadable archive (package format §6). yauzl itself refuses `..`, absolute paths and drive
 * letters.
 */
import { type Entry, validateFileName } from 'yauzl';
import { excerpt } from '../common/text.ts';
import { InvalidPackage } from '../domain/client-errors.ts';
import { isLitter, normalizeEntryName } from './layout.ts';
import { PACKAGE_LIMITS, tooLarge } from './limits.ts';
import type { DeclaredContent } from './packed-file.ts';

/** An entry that passed the checks. Positions count from the first byte of the archive proper. */
export interface ArchiveEntry extends DeclaredContent {
  /** Position in the archive, from 0. */
  index: number;
  /** Name as in the archive, one character per byte. It is stored once if it equals the normalized name. */
  rawName: string;
  headerStart: number;
  /** Start of the next header or of the directory. The entry's data must end before it. */
  regionEnd: number;
}

const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
const DIRECTORY = 0o040000;
const SYMBOLIC_LINK = 0o120000;
/** Bits for: encrypted, strongly encrypted, directory encrypted (APPNOTE 4.4.4). */
const ENCRYPTED_FLAGS = 0x1 | 0x40 | 0x2000;
export const STORED = 0;
export const DEFLATED = 8;
export const LOCAL_HEADER_BYTES = 30;

/** Names of the compression methods that tools still write, so that the message says what to change. */
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

/** @throws InvalidPackage that names the entry at fault */
export function guardEntry(entry: Entry, index: number): ArchiveEntry {
  const name = normalizeEntryName(entry.fileName);
  const shown = `entry "${excerpt(entry.fileName, 120)}"`;
  refuseUnsafeName(entry, name, shown);
  refuseEncryption(entry.generalPurposeBitFlag, shown);
  refuseMethod(entry.compressionMethod, shown);
  refuseSpecialFile(entry, shown);
  refuseSize(entry, shown);
  const rawName = entry.fileNameRaw.toString('latin1');
  return {
    index,
    name,
    rawName: rawName === name ? name : rawName,
    headerStart: entry.relativeOffsetOfLocalHeader,
    regionEnd: entry.relativeOffsetOfLocalHeader,
    compressedBytes: entry.compressedSize,
    sizeBytes: entry.uncompressedSize,
    deflated: entry.compressionMethod === DEFLATED,
    crc32: entry.crc32,
  };
}

/** @throws InvalidPackage */
export function refuseEncryption(generalPurposeFlags: number, shown: string): void {
  if ((generalPurposeFlags & ENCRYPTED_FLAGS) !== 0)
    throw new InvalidPackage(`${shown} is encrypted; send an archive without a password`);
}

/**
 * Judges the entries together, and determines where the data of each must end.
 *
 * @throws InvalidPackage when they exceed the limits, share a name, or share bytes
 */
export function guardArchive(entries: readonly ArchiveEntry[], directoryStart: number): void {
  let unpacked = 0;
  let compressed = 0;
  const seen = new Set<string>();
  for (const { name, sizeBytes, compressedBytes } of entries) {
    unpacked += sizeBytes;
    compressed += compressedBytes;
    if (isLitter(name) || name.endsWith('/') || name === '') continue;
    if (seen.has(name)) throw new InvalidPackage(`the name "${excerpt(name, 120)}" occurs more than once`);
    seen.add(name);
  }
  if (unpacked > PACKAGE_LIMITS.totalBytes) {
    throw new InvalidPackage(
      `the archive unpacks to ${unpacked} bytes; at most ${PACKAGE_LIMITS.totalBytes} are accepted`,
    );
  }
  refuseRatio(unpacked, compressed, 'the archive');
  refuseOverlaps(entries, directoryStart);
}

function refuseUnsafeName(entry: Entry, name: string, shown: string): void {
  if (name.includes('\0')) throw new InvalidPackage(`${shown} has a NUL character in its name`);
  // yauzl has checked the written name. `./C:/x` becomes a drive letter only when it is normalized.
  const fault = validateFileName(name);
  if (fault !== null) throw new InvalidPackage(`${shown} has an unsafe name (${excerpt(fault, 120)})`);
  const bytes = Buffer.byteLength(entry.fileName);
  if (bytes > PACKAGE_LIMITS.nameBytes)
    throw new InvalidPackage(
      `${shown} has a name of ${bytes} bytes; at most ${PACKAGE_LIMITS.nameBytes} are accepted`,
    );
}

function refuseMethod(method: number, shown: string): void {
  if (method === STORED || method === DEFLATED) return;
  const name = METHOD_NAMES[method] ?? `method ${method}`;
  throw new InvalidPackage(`${shown} uses an unsupported compression (${name}); use Deflate or store it`);
}

/** Ignores the system that the archive names: a Unix file type has no other meaning anywhere. */
function refuseSpecialFile({ externalFileAttributes }: Entry, shown: string): void {
  const type = (externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type === 0 || type === REGULAR_FILE || type === DIRECTORY) return;
  const kind = type === SYMBOLIC_LINK ? 'a symbolic link' : 'a special file';
  throw new InvalidPackage(`${shown} is ${kind}; only files and directories are accepted`);
}

function refuseSize(entry: Entry, shown: string): void {
  const { uncompressedSize, compressedSize, compressionMethod } = entry;
  if (uncompressedSize > PACKAGE_LIMITS.entryBytes)
    throw new InvalidPackage(tooLarge(shown, uncompressedSize, PACKAGE_LIMITS.entryBytes));
  refuseRatio(uncompressedSize, compressedSize, shown);
  // Deflate adds a few bytes for every piece that a writer flushes, but never this many.
  const isStored = compressionMethod === STORED;
  if (isStored ? compressedSize !== uncompressedSize : compressedSize > 2 * uncompressedSize + 64 * 1024)
    throw new InvalidPackage(
      `${shown} has ${compressedSize} compressed bytes for ${uncompressedSize} bytes of content; its sizes are wrong`,
    );
}

function refuseRatio(unpacked: number, compressed: number, what: string): void {
  if (unpacked <= PACKAGE_LIMITS.ratioFromBytes || unpacked <= compressed * PACKAGE_LIMITS.ratio) return;
  const ratio = compressed === 0 ? 'infinitely' : `${Math.round(unpacked / compressed)} times`;
  throw new InvalidPackage(
    `${what} is compressed ${ratio} (${compressed} to ${unpacked} bytes); at most ${PACKAGE_LIMITS.ratio} times is accepted`,
  );
}

function refuseOverlaps(entries: readonly ArchiveEntry[], directoryStart: number): void {
  const byPlace = entries.toSorted((a, b) => a.headerStart - b.headerStart);
  for (const [place, entry] of byPlace.entries()) {
    const next = byPlace[place + 1];
    entry.regionEnd = Math.min(next?.headerStart ?? directoryStart, directoryStart);
    const { name, headerStart, rawName, compressedBytes } = entry;
    const leastEnd = headerStart + LOCAL_HEADER_BYTES + rawName.length + compressedBytes;
    if (leastEnd <= entry.regionEnd) continue;
    if (leastEnd > directoryStart)
      throw new InvalidPackage(`entry "${excerpt(name, 120)}" reaches beyond the archive's data`);
    throw new InvalidPackage(
      `entries "${excerpt(name, 120)}" and "${excerpt(next?.name ?? '', 120)}" overlap`,
    );
  }
}
