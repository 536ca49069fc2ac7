/**
 * Writes a ZIP in pieces (APPNOTE 4.3). Memory holds one record of the central directory per entry. The ZIP may be larger
 * than 4 GB (ZIP64, APPNOTE 4.3.14), but each entry is smaller: an entry of a package has 1 GiB at most.
 */
import type { Hash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import type { DeclaredContent } from './packed-file.ts';

const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const RECORD = 0x02014b50;
const END_RECORD = 0x06054b50;
const ZIP64_END_RECORD = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_VERSION = 45;
const ZIP64_FIELD = 1;
/** Says that the number is in a record of ZIP64. */
const ELSEWHERE_16 = 0xffff;
const ELSEWHERE_32 = 0xffffffff;
/** Version 2.0 of the format; made on Unix, so that the attributes are a mode. */
const VERSION = 20;
const MADE_BY = (3 << 8) | VERSION;
const REGULAR_FILE = (0o100644 << 16) >>> 0;
const SIZES_FOLLOW_THE_DATA = 0x8;
const NAME_IS_UTF8 = 0x800;

type Piece = string | Uint8Array;
type Pieces = AsyncIterable<Piece> | readonly Piece[];

interface Content extends DeclaredContent {
  /** Date and time of the format. */
  madeAt: number;
}

export function createZipWriter() {
  const madeAt = timeOf(new Date());
  const records: Buffer[] = [];
  let position = 0;

  /** Counts the bytes of the archive. */
  const written = (piece: Buffer) => {
    position += piece.length;
    return piece;
  };

  return {
    /**
     * An entry whose content is compressed, fast rather than well. Each piece leaves at once: the age of a file that
     * arrives slowly is that of its last byte (leftover-removal.ts).
     *
     * @param hash gets the content
     */
    async *deflated(name: string, pieces: Pieces, hash?: Hash): AsyncGenerator<Buffer> {
      const headerStart = position;
      const content = { name, deflated: true, crc32: 0, compressedBytes: 0, sizeBytes: 0, madeAt };
      yield written(localHeader(content, SIZES_FOLLOW_THE_DATA));
      async function* counted() {
        for await (const part of pieces) {
          const piece = typeof part === 'string' ? Buffer.from(part) : part;
          content.crc32 = crc32(piece, content.crc32);
          content.sizeBytes += piece.length;
          hash?.update(piece);
          yield piece;
        }
      }
      const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED, flush: constants.Z_PARTIAL_FLUSH });
      pipeline(Readable.from(counted(), { objectMode: false }), deflate, () => {});
      for await (const piece of deflate as AsyncIterable<Buffer>) {
        content.compressedBytes += piece.length;
        yield written(piece);
      }
      yield written(descriptor(content));
      records.push(recordOf(content, SIZES_FOLLOW_THE_DATA, headerStart));
    },

    /** An entry of another archive, whose data is copied as it is stored there. */
    async *copied(entry: DeclaredContent, stored: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      const content = { ...entry, madeAt };
      records.push(recordOf(content, 0, position));
      yield written(localHeader(content, 0));
      for await (const piece of stored) yield written(piece);
    },

    /** The central directory. Nothing follows. */
    end(): Buffer {
      const directory = Buffer.concat(records);
      return Buffer.concat([directory, endRecord(records.length, directory.length, position)]);
    },
  };
}

/** Local time in steps of two seconds (APPNOTE 4.4.6). */
function timeOf(date: Date): number {
  const day = ((date.getFullYear() - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

function localHeader(content: Content, flags: number): Buffer {
  const name = Buffer.from(content.name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(LOCAL_HEADER, 0);
  header.writeUInt16LE(VERSION, 4);
  writeDescription(header, 6, content, flags);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function recordOf(content: Content, flags: number, headerStart: number): Buffer {
  const name = Buffer.from(content.name);
  const isFar = headerStart >= ELSEWHERE_32;
  const far = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    far.writeUInt16LE(ZIP64_FIELD, 0);
    far.writeUInt16LE(8, 2);
    far.writeBigUInt64LE(BigInt(headerStart), 4);
  }
  const record = Buffer.alloc(46);
  record.writeUInt32LE(RECORD, 0);
  record.writeUInt16LE(MADE_BY, 4);
  record.writeUInt16LE(isFar ? ZIP64_VERSION : VERSION, 6);
  writeDescription(record, 8, content, flags);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(far.length, 30);
  record.writeUInt32LE(REGULAR_FILE, 38);
  record.writeUInt32LE(isFar ? ELSEWHERE_32 : headerStart, 42);
  return Buffer.concat([record, name, far]);
}

/** The fields that the local header and the central directory have in common. */
function writeDescription(target: Buffer, at: number, content: Content, flags: number): void {
  target.writeUInt16LE(flags | NAME_IS_UTF8, at);
  target.writeUInt16LE(content.deflated ? 8 : 0, at + 2);
  target.writeUInt32LE(content.madeAt, at + 4);
  writeSizes(target, at + 8, content);
}

function descriptor(content: Content): Buffer {
  const following = Buffer.alloc(16);
  following.writeUInt32LE(DESCRIPTOR, 0);
  writeSizes(following, 4, content);
  return following;
}

function writeSizes(target: Buffer, at: number, { crc32, compressedBytes, sizeBytes }: Content): void {
  target.writeUInt32LE(crc32, at);
  target.writeUInt32LE(compressedBytes, at + 4);
  target.writeUInt32LE(sizeBytes, at + 8);
}

function endRecord(entries: number, directoryBytes: number, directoryStart: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END_RECORD, 0);
  end.writeUInt16LE(Math.min(entries, ELSEWHERE_16), 8);
  end.writeUInt16LE(Math.min(entries, ELSEWHERE_16), 10);
  end.writeUInt32LE(Math.min(directoryBytes, ELSEWHERE_32), 12);
  end.writeUInt32LE(Math.min(directoryStart, ELSEWHERE_32), 16);
  if (entries < ELSEWHERE_16 && directoryStart + directoryBytes < ELSEWHERE_32) return end;
  const large = Buffer.alloc(56 + 20);
  large.writeUInt32LE(ZIP64_END_RECORD, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE((MADE_BY & 0xff00) | ZIP64_VERSION, 12);
  large.writeUInt16LE(ZIP64_VERSION, 14);
  large.writeBigUInt64LE(BigInt(entries), 24);
  large.writeBigUInt64LE(BigInt(entries), 32);
  large.writeBigUInt64LE(BigInt(directoryBytes), 40);
  large.writeBigUInt64LE(BigInt(directoryStart), 48);
  large.writeUInt32LE(ZIP64_LOCATOR, 56);
  large.writeBigUInt64LE(BigInt(directoryStart + directoryBytes), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, end]);
}
