/** The content of an entry: inflated, and checked against everything that the archive declares about it. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { excerpt } from '../common/text.ts';
import type { CachedReader } from './cached-reader.ts';
import { type ArchiveEntry, DEFLATED, LOCAL_HEADER_BYTES, refuseEncryption, STORED } from './guards.ts';
import { damaged, type PackedFile, requireAsDeclared } from './packed-file.ts';

const LOCAL_HEADER = 0x04034b50;
const SIZES_FOLLOW_THE_DATA = 0x8;
const SIZES_ARE_IN_ZIP64_FIELD = 0xffffffff;
const CHUNK_BYTES = 64 * 1024;

/**
 * The content in pieces, in constant memory.
 *
 * @throws InvalidPackage as soon as the content contradicts the archive's declaration
 */
export async function* entryPieces(source: CachedReader, entry: ArchiveEntry): AsyncGenerator<Buffer> {
  try {
    const stored = storedPieces(source, entry);
    const inflate = entry.deflated ? createInflateRaw({ chunkSize: CHUNK_BYTES }) : null;
    if (inflate) pipeline(Readable.from(stored, { objectMode: false }), inflate, () => {});
    let size = 0;
    let checksum = 0;
    for await (const piece of (inflate ?? stored) as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > entry.sizeBytes) break;
      checksum = crc32(piece, checksum);
      yield piece;
    }
    requireAsDeclared(entry, size, checksum, inflate?.bytesWritten ?? size);
  } catch (error) {
    throw damaged(entry, error);
  }
}

/**
 * The entry as it is stored, for files that fit into memory. `unpacked` checks the content.
 *
 * @throws InvalidPackage when it is not at the declared position
 */
export async function packedEntry(source: CachedReader, entry: ArchiveEntry): Promise<PackedFile> {
  const { name, deflated, compressedBytes, sizeBytes, crc32 } = entry;
  try {
    const start = await dataStart(source, entry);
    const stored = await source.bytes(start, start + compressedBytes);
    // A copy, because it is transferred to a thread: a piece of the cache would take its whole block along.
    return { name, deflated, compressedBytes, sizeBytes, crc32, bytes: new Uint8Array(stored) };
  } catch (error) {
    throw damaged(entry, error);
  }
}

/**
 * The entry as it is stored, in pieces, to be copied into another archive.
 *
 * @throws InvalidPackage when it is not at the declared position
 */
export async function* storedPieces(source: CachedReader, entry: ArchiveEntry): AsyncGenerator<Buffer> {
  try {
    const start = await dataStart(source, entry);
    const end = start + entry.compressedBytes;
    // Most files are small: the cache has them already.
    if (entry.compressedBytes > CHUNK_BYTES) yield* source.pieces(start, end);
    else yield await source.bytes(start, end);
  } catch (error) {
    throw damaged(entry, error);
  }
}

/** Start of the data. The header in front of it must agree with the directory: tools read one or the other. */
async function dataStart(source: CachedReader, entry: ArchiveEntry): Promise<number> {
  const { headerStart, rawName, compressedBytes } = entry;
  const header = await source.bytes(headerStart, headerStart + LOCAL_HEADER_BYTES + rawName.length);
  if (header.readUInt32LE(0) !== LOCAL_HEADER) throw new Error('its local header is missing');
  const flags = header.readUInt16LE(6);
  refuseEncryption(flags, `entry "${excerpt(entry.name, 120)}"`);
  if (header.readUInt16LE(8) !== (entry.deflated ? DEFLATED : STORED))
    throw new Error('its compression differs from that in the central directory');
  if (header.readUInt16LE(26) !== rawName.length || header.toString('latin1', LOCAL_HEADER_BYTES) !== rawName)
    throw new Error('its name differs from that in the central directory');
  const declared = [header.readUInt32LE(18), header.readUInt32LE(22)];
  const known = [entry.compressedBytes, entry.sizeBytes];
  const isToldHere = (flags & SIZES_FOLLOW_THE_DATA) === 0 && !declared.includes(SIZES_ARE_IN_ZIP64_FIELD);
  if (isToldHere && declared.some((size, index) => size !== known[index]))
    throw new Error('its sizes differ from those in the central directory');
  const start = headerStart + header.length + header.readUInt16LE(28);
  if (start + compressedBytes > entry.regionEnd) throw new Error('its data overlaps the data after it');
  return start;
}
