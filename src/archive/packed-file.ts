/** A package file as it is stored, small enough to be transferred to a thread and unpacked there. */
import { constants, crc32, gzipSync, inflateRawSync, type ZlibOptions } from 'node:zlib';
import { excerpt, messageOf } from '../common/text.ts';
import { InvalidPackage } from '../domain/client-errors.ts';
import { StorageFailure } from './storage.ts';

/** The archive's own statements about an entry, not verified yet. */
export interface DeclaredContent {
  /** Normalized. */
  name: string;
  deflated: boolean;
  compressedBytes: number;
  /** Size of the content. Reading fails if the true size differs. */
  sizeBytes: number;
  /** CRC-32 of the content. */
  crc32: number;
}

export interface PackedFile extends DeclaredContent {
  /** Bytes as in the archive, in memory of their own. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** With `info`, zlib also returns the engine. Node's types do not declare this. */
const inflate = inflateRawSync as unknown as (
  bytes: Uint8Array,
  options: ZlibOptions & { info: true },
) => { buffer: Buffer; engine: { bytesWritten: number } };

/**
 * The content, checked against everything that the archive declares about it. Synchronous: for threads and small files.
 *
 * @throws InvalidPackage when it differs from the declaration
 */
export function unpacked({ bytes, ...declared }: PackedFile): Buffer {
  try {
    const { content, consumed } = contentOf(bytes, declared);
    requireAsDeclared(declared, content.length, crc32(content), consumed);
    return content;
  } catch (error) {
    throw damaged(declared, error);
  }
}

function contentOf(bytes: Uint8Array<ArrayBuffer>, { deflated, sizeBytes }: DeclaredContent) {
  if (!deflated) return { content: Buffer.from(bytes.buffer), consumed: bytes.length };
  const { buffer, engine } = inflate(bytes, { maxOutputLength: Math.max(1, sizeBytes), info: true });
  return { content: buffer, consumed: engine.bytesWritten };
}

/** Header of gzip (RFC 1952 §2.3): magic, deflate, no flags, no time, no level, unknown system. */
const GZIP_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
const GZIP_TRAILER_BYTES = 8;

/**
 * The content as gzip, in memory of its own. Deflated content is not compressed again: gzip holds the same stream
 * (RFC 1952 §2.2, ZIP's method 8).
 *
 * @param content the result of `unpacked`
 */
export function gzipped(
  { bytes, deflated, crc32: checksum }: PackedFile,
  content: Buffer,
): Uint8Array<ArrayBuffer> {
  // The stored stream is larger than its content, by poor compression or on purpose.
  if (!deflated || bytes.length > content.length)
    return new Uint8Array(gzipSync(content, { level: constants.Z_BEST_SPEED }));
  const gzip = new Uint8Array(GZIP_HEADER.length + bytes.length + GZIP_TRAILER_BYTES);
  gzip.set(GZIP_HEADER);
  gzip.set(bytes, GZIP_HEADER.length);
  const trailer = new DataView(gzip.buffer, GZIP_HEADER.length + bytes.length);
  trailer.setUint32(0, checksum, true);
  trailer.setUint32(4, content.length, true);
  return gzip;
}

/** @throws Error that names the difference */
export function requireAsDeclared(
  entry: DeclaredContent,
  size: number,
  checksum: number,
  consumed: number,
): void {
  if (size > entry.sizeBytes) throw new Error(largerThanDeclared(entry));
  if (size < entry.sizeBytes)
    throw new Error(`it has ${size} bytes instead of the declared ${entry.sizeBytes}`);
  if (consumed !== entry.compressedBytes)
    throw new Error(`its compressed data ends after ${consumed} of ${entry.compressedBytes} bytes`);
  if (checksum !== entry.crc32) throw new Error('its checksum does not match');
}

/** Turns a read error into an InvalidPackage, unless the storage failed. */
export function damaged(entry: DeclaredContent, error: unknown): Error {
  if (error instanceof StorageFailure || error instanceof InvalidPackage) return error;
  const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  const reason = isTooLarge ? largerThanDeclared(entry) : messageOf(error);
  return new InvalidPackage(`entry "${excerpt(entry.name, 120)}" is damaged (${excerpt(reason, 200)})`);
}

function largerThanDeclared({ sizeBytes }: DeclaredContent): string {
  return `it is larger than the declared ${sizeBytes} bytes`;
}
