/**
 * The end of an archive: position and size of its central directory (APPNOTE 4.3.14–4.3.16).
 * yauzl accepts these numbers unchecked. This module requires them to be consistent.
 */
import { InvalidPackage } from '../domain/client-errors.ts';
import { PACKAGE_LIMITS, tooLarge } from './limits.ts';
import type { StoredFileReader } from './storage.ts';

export interface DirectoryEnd {
  entries: number;
  /** Size of the directory in bytes. */
  directoryBytes: number;
  /** Start of the directory, counted from the first byte of the archive proper. */
  directoryStart: number;
  /**
   * Bytes in front of the archive proper (a self-extractor's program, a mail header) that its offsets do
   * not count; 0 for an ordinary archive, or if the offsets were adjusted.
   */
  prefix: number;
}

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_RECORD = 0x06064b50;
const ZIP64_END_RECORD_BYTES = 56;
const MAX_COMMENT_BYTES = 0xffff;

/** @throws InvalidPackage when there is no end record, it contradicts the file, or its numbers exceed the limits */
export async function readDirectoryEnd(file: StoredFileReader): Promise<DirectoryEnd> {
  const tailBytes = Math.min(file.sizeBytes, ZIP64_LOCATOR_BYTES + END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tailStart = file.sizeBytes - tailBytes;
  const tail = await file.read(tailStart, file.sizeBytes);
  const at = findEndRecord(tail);
  const locatorAt = at - ZIP64_LOCATOR_BYTES;
  const isZip64 = locatorAt >= 0 && tail.readUInt32LE(locatorAt) === ZIP64_LOCATOR;
  const end = isZip64 ? await zip64End(file, tail, at, tailStart) : plainEnd(tail, at, tailStart);
  if (end.entries > PACKAGE_LIMITS.entries)
    throw new InvalidPackage(
      `the archive has ${end.entries} entries; at most ${PACKAGE_LIMITS.entries} are accepted`,
    );
  if (end.directoryBytes > PACKAGE_LIMITS.directoryBytes)
    throw new InvalidPackage(
      tooLarge("the archive's central directory", end.directoryBytes, PACKAGE_LIMITS.directoryBytes),
    );
  return end;
}

/** Accepts only the last end record, at the very end of the file. Any other could be read in two ways. */
function findEndRecord(tail: Buffer): number {
  for (let at = tail.length - END_RECORD_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_RECORD) continue;
    if (tail.readUInt16LE(at + 20) === tail.length - at - END_RECORD_BYTES) return at;
    throw new InvalidPackage('not a readable ZIP archive (it has bytes after its end, or bytes are missing)');
  }
  throw new InvalidPackage('not a ZIP archive, or a truncated ZIP archive (it has no end record)');
}

function plainEnd(tail: Buffer, at: number, tailStart: number): DirectoryEnd {
  const [disk, directoryDisk, entriesHere, entries] = [4, 6, 8, 10].map((offset) =>
    tail.readUInt16LE(at + offset),
  ) as [number, number, number, number];
  requireOneDisk(disk, directoryDisk, entriesHere, entries);
  const directoryBytes = tail.readUInt32LE(at + 12);
  const directoryStart = tail.readUInt32LE(at + 16);
  const prefix = tailStart + at - directoryBytes - directoryStart;
  if (prefix < 0) throw contradiction();
  return { entries, directoryBytes, directoryStart, prefix };
}

async function zip64End(
  file: StoredFileReader,
  tail: Buffer,
  plainAt: number,
  tailStart: number,
): Promise<DirectoryEnd> {
  const locatorAt = plainAt - ZIP64_LOCATOR_BYTES;
  const declared = Number(tail.readBigUInt64LE(locatorAt + 8));
  const end = tailStart + locatorAt;
  // The record is at the declared position or, with bytes in front of the archive, right before its locator.
  for (const at of [declared, end - ZIP64_END_RECORD_BYTES]) {
    if (at < 0 || at + ZIP64_END_RECORD_BYTES > end) continue;
    const record = await file.read(at, at + ZIP64_END_RECORD_BYTES);
    if (record.readUInt32LE(0) !== ZIP64_END_RECORD) continue;
    const number = (offset: number) => Number(record.readBigUInt64LE(offset));
    const [entriesHere, entries] = [number(24), number(32)];
    requireOneDisk(record.readUInt32LE(16), record.readUInt32LE(20), entriesHere, entries);
    const [directoryBytes, directoryStart] = [number(40), number(48)];
    const prefix = at - declared;
    if (prefix < 0 || at - directoryBytes - directoryStart !== prefix) throw contradiction();
    requireAgreement(tail, plainAt, { entries, directoryBytes, directoryStart });
    return { entries, directoryBytes, directoryStart, prefix };
  }
  throw contradiction();
}

/** Tools read one end record or the other. The plain one must agree wherever it has room for a number. */
function requireAgreement(
  tail: Buffer,
  at: number,
  { entries, directoryBytes, directoryStart }: Omit<DirectoryEnd, 'prefix'>,
): void {
  const agrees = (stated: number, most: number, known: number) => stated === most || stated === known;
  if (
    !agrees(tail.readUInt16LE(at + 10), 0xffff, entries) ||
    !agrees(tail.readUInt32LE(at + 12), 0xffffffff, directoryBytes) ||
    !agrees(tail.readUInt32LE(at + 16), 0xffffffff, directoryStart)
  )
    throw contradiction();
}

function contradiction(): InvalidPackage {
  return new InvalidPackage(
    'the archive is damaged: its central directory is not at the offset that its end record gives',
  );
}

function requireOneDisk(disk: number, directoryDisk: number, entriesHere: number, entries: number): void {
  if (disk === 0 && directoryDisk === 0 && entriesHere === entries) return;
  throw new InvalidPackage('the archive is split into several parts; send it as one file');
}
