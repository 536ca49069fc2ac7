/** The content of an entry: inflated, and checked against everything that the archive says about it. */
import { pipeline, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createInflateRaw, type InputType, inflateRaw, type ZlibOptions } from 'node:zlib';
import { InvalidPackage, messageOf } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';
import type { CachedReader } from './cached-reader.ts';
import { type ArchiveEntry, DEFLATED, LOCAL_HEADER_BYTES, refuseEncryption, STORED } from './guards.ts';
import { StorageFailure } from './storage.ts';

const LOCAL_HEADER = 0x04034b50;
const SIZES_FOLLOW_THE_DATA = 0x8;
const SIZES_ARE_IN_ZIP64_FIELD = 0xffffffff;
const CHUNK_BYTES = 64 * 1024;

/**
 * The content in pieces, in constant memory.
 *
 * @throws InvalidPackage as soon as it shows that the content is not what the archive says
 */
export async function* entryPieces(source: CachedReader, entry: ArchiveEntry): AsyncGenerator<Buffer> {
  try {
    const start = await dataStart(source, entry);
    const stored = source.pieces(start, start + entry.compressedBytes);
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

/** `inflateRaw` with `info` gives the engine too; the types of Node do not know that. */
const inflateAll = promisify(inflateRaw) as unknown as (
  buffer: InputType,
  options: ZlibOptions & { info: true },
) => Promise<{ buffer: Buffer; engine: { bytesWritten: number } }>;

/** The content all at once, for files that are no larger than memory allows. Throws like `entryPieces`. */
export async function entryContent(source: CachedReader, entry: ArchiveEntry): Promise<Buffer> {
  try {
    const start = await dataStart(source, entry);
    const stored = await source.bytes(start, start + entry.compressedBytes);
    if (!entry.deflated) {
      requireAsDeclared(entry, stored.length, crc32(stored), stored.length);
      // A copy: it goes to a thread, and with a piece of the cache its whole block would go.
      return Buffer.from(stored);
    }
    const maxOutputLength = Math.max(1, entry.sizeBytes);
    const { buffer, engine } = await inflateAll(stored, { maxOutputLength, info: true });
    requireAsDeclared(entry, buffer.length, crc32(buffer), engine.bytesWritten);
    return buffer;
  } catch (error) {
    throw damaged(entry, error);
  }
}

/** Where the data begins. The header in front of it must say what the directory says: tools read one or the other. */
async function dataStart(source: CachedReader, entry: ArchiveEntry): Promise<number> {
  const { headerStart, rawName, compressedBytes } = entry;
  const header = await source.bytes(headerStart, headerStart + LOCAL_HEADER_BYTES + rawName.length);
  if (header.readUInt32LE(0) !== LOCAL_HEADER) throw new Error('there is no header in front of its data');
  const flags = header.readUInt16LE(6);
  refuseEncryption(flags, `entry "${excerpt(entry.name, 120)}"`);
  if (header.readUInt16LE(8) !== (entry.deflated ? DEFLATED : STORED))
    throw new Error('its compression is not the one of the directory');
  if (header.readUInt16LE(26) !== rawName.length || header.toString('latin1', LOCAL_HEADER_BYTES) !== rawName)
    throw new Error('its name is not the one of the directory');
  const declared = [header.readUInt32LE(18), header.readUInt32LE(22)];
  const known = [entry.compressedBytes, entry.sizeBytes];
  const isToldHere = (flags & SIZES_FOLLOW_THE_DATA) === 0 && !declared.includes(SIZES_ARE_IN_ZIP64_FIELD);
  if (isToldHere && declared.some((size, index) => size !== known[index]))
    throw new Error('its sizes are not those of the directory');
  const start = headerStart + header.length + header.readUInt16LE(28);
  if (start + compressedBytes > entry.regionEnd) throw new Error('its data overlaps with what follows');
  return start;
}

function requireAsDeclared(entry: ArchiveEntry, size: number, checksum: number, consumed: number): void {
  if (size > entry.sizeBytes) throw new Error(largerThanDeclared(entry));
  if (size < entry.sizeBytes)
    throw new Error(`it is ${size} bytes large instead of the declared ${entry.sizeBytes}`);
  if (consumed !== entry.compressedBytes)
    throw new Error(`its compressed data ends after ${consumed} of ${entry.compressedBytes} bytes`);
  if (checksum !== entry.crc32) throw new Error('its checksum does not match');
}

/** What went wrong while reading is the archive's fault, unless the storage failed or the fault has a name already. */
function damaged(entry: ArchiveEntry, error: unknown): Error {
  if (error instanceof StorageFailure || error instanceof InvalidPackage) return error;
  const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  const reason = isTooLarge ? largerThanDeclared(entry) : messageOf(error);
  return new InvalidPackage(`entry "${excerpt(entry.name, 120)}" is damaged (${excerpt(reason, 200)})`);
}

function largerThanDeclared({ sizeBytes }: ArchiveEntry): string {
  return `it is larger than the declared ${sizeBytes} bytes`;
}
