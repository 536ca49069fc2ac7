/**
 * Writes ZIPs byte by byte (APPNOTE 4.3), also such as no tool would write: whatever a field says can be
 * replaced by something else.
 */
import { crc32, deflateRawSync } from 'node:zlib';

export interface EntrySpec {
  /** Bytes for names in other encodings than UTF-8. */
  name: string | Buffer;
  content?: string | Buffer;
  deflated?: boolean;
  /** Sizes and checksum behind the data instead of in front of it. */
  descriptor?: 'with signature' | 'without signature';
  /** Sizes and position in an extra field of eight bytes each. */
  zip64?: boolean;
  /** Replaces what is stored, compressed, for the content. */
  data?: Buffer;
  /** Flags besides those that follow from the rest, e.g. 1 for encrypted. */
  flags?: number;
  /** Declares the name as UTF-8; by default it does for text. */
  utf8?: boolean;
  method?: number;
  /** A Unix mode with its file type, e.g. 0o120777. */
  mode?: number;
  crc32?: number;
  sizeBytes?: number;
  compressedBytes?: number;
  /** Extra fields of the directory. */
  extra?: Buffer;
  headerStart?: number;
  /** Set when the local header differs from the central directory. */
  header?: { name?: string; flags?: number; method?: number; sizeBytes?: number; signature?: number };
  /** In the directory only: its data is wherever `headerStart` says. */
  withoutData?: boolean;
}

export interface ZipSpec {
  entries: readonly EntrySpec[];
  /** Bytes in front of the archive. */
  before?: Buffer;
  /** Whether positions count the bytes in front, as self-extractors do when they are made properly. */
  countsBefore?: boolean;
  comment?: string;
  /** Bytes behind the end. */
  behind?: Buffer;
  /** With the end record of ZIP64. */
  zip64?: boolean;
  /** Bytes 8–19 of the plain end record of ZIP64, which ordinarily say that the numbers are elsewhere. */
  plainEnd?: Buffer;
  /** Replaces values of the end record. */
  end?: { entries?: number; directoryBytes?: number; directoryStart?: number; disk?: number };
}

const UTF8_FLAG = 0x800;
const DESCRIPTOR_FLAG = 0x8;
const SATURATED = 0xffffffff;

export function writeZip({ entries, before = Buffer.alloc(0), countsBefore, ...spec }: ZipSpec): Buffer {
  const body: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = countsBefore ? before.length : 0;
  const append = (...pieces: Buffer[]) => {
    for (const piece of pieces) {
      body.push(piece);
      position += piece.length;
    }
  };
  for (const entry of entries) {
    const facts = factsOf(entry);
    directory.push(directoryRecord(entry, facts, entry.headerStart ?? position));
    if (!entry.withoutData) append(localHeader(entry, facts), facts.data, descriptor(entry, facts));
  }
  const records = Buffer.concat(directory);
  const end = endOf(spec, {
    entries: entries.length,
    directoryBytes: records.length,
    directoryStart: position,
  });
  return Buffer.concat([before, ...body, records, end, spec.behind ?? Buffer.alloc(0)]);
}

interface Facts {
  name: Buffer;
  data: Buffer;
  flags: number;
  method: number;
  crc32: number;
  sizeBytes: number;
  compressedBytes: number;
}

function factsOf(entry: EntrySpec): Facts {
  const content = Buffer.from(entry.content ?? '');
  const data = entry.data ?? (entry.deflated ? deflateRawSync(content) : content);
  const utf8 = (entry.utf8 ?? typeof entry.name === 'string') ? UTF8_FLAG : 0;
  return {
    name: Buffer.from(entry.name),
    data,
    flags: (entry.flags ?? 0) | utf8 | (entry.descriptor ? DESCRIPTOR_FLAG : 0),
    method: entry.method ?? (entry.deflated ? 8 : 0),
    crc32: entry.crc32 ?? crc32(content),
    sizeBytes: entry.sizeBytes ?? content.length,
    compressedBytes: entry.compressedBytes ?? data.length,
  };
}

function localHeader({ zip64, descriptor, header = {} }: EntrySpec, facts: Facts): Buffer {
  const name = header.name === undefined ? facts.name : Buffer.from(header.name);
  const sizeBytes = header.sizeBytes ?? facts.sizeBytes;
  const extra = zip64 ? zip64Field([sizeBytes, facts.compressedBytes]) : Buffer.alloc(0);
  const told = (value: number) => (descriptor ? 0 : zip64 ? SATURATED : value);
  const record = Buffer.alloc(30);
  record.writeUInt32LE(header.signature ?? 0x04034b50, 0);
  record.writeUInt16LE(zip64 ? 45 : 20, 4);
  record.writeUInt16LE(header.flags ?? facts.flags, 6);
  record.writeUInt16LE(header.method ?? facts.method, 8);
  record.writeUInt32LE(descriptor ? 0 : facts.crc32, 14);
  record.writeUInt32LE(told(facts.compressedBytes), 18);
  record.writeUInt32LE(told(sizeBytes), 22);
  record.writeUInt16LE(name.length, 26);
  record.writeUInt16LE(extra.length, 28);
  return Buffer.concat([record, name, extra]);
}

function descriptor({ descriptor: kind, zip64 }: EntrySpec, facts: Facts): Buffer {
  if (!kind) return Buffer.alloc(0);
  const sizes = [facts.compressedBytes, facts.sizeBytes];
  return Buffer.concat([
    kind === 'with signature' ? uint32(0x08074b50) : Buffer.alloc(0),
    uint32(facts.crc32),
    ...sizes.map((size) => (zip64 ? uint64(size) : uint32(size))),
  ]);
}

function directoryRecord(entry: EntrySpec, facts: Facts, headerStart: number): Buffer {
  const { zip64, mode } = entry;
  const extra = Buffer.concat([
    zip64 ? zip64Field([facts.sizeBytes, facts.compressedBytes, headerStart]) : Buffer.alloc(0),
    entry.extra ?? Buffer.alloc(0),
  ]);
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(mode === undefined ? 20 : 0x0314, 4);
  record.writeUInt16LE(zip64 ? 45 : 20, 6);
  record.writeUInt16LE(facts.flags, 8);
  record.writeUInt16LE(facts.method, 10);
  record.writeUInt32LE(facts.crc32, 16);
  record.writeUInt32LE(zip64 ? SATURATED : facts.compressedBytes, 20);
  record.writeUInt32LE(zip64 ? SATURATED : facts.sizeBytes, 24);
  record.writeUInt16LE(facts.name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt32LE(((mode ?? 0) << 16) >>> 0, 38);
  record.writeUInt32LE(zip64 ? SATURATED : headerStart, 42);
  return Buffer.concat([record, facts.name, extra]);
}

type End = Required<Omit<NonNullable<ZipSpec['end']>, 'disk'>>;

function endOf({ comment = '', zip64, plainEnd, end = {} }: Omit<ZipSpec, 'entries'>, actual: End): Buffer {
  const { entries, directoryBytes, directoryStart, disk = 0 } = { ...actual, ...end };
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(disk, 4);
  record.writeUInt16LE(zip64 ? 0xffff : entries, 8);
  record.writeUInt16LE(zip64 ? 0xffff : entries, 10);
  record.writeUInt32LE(zip64 ? SATURATED : directoryBytes, 12);
  record.writeUInt32LE(zip64 ? SATURATED : directoryStart, 16);
  record.writeUInt16LE(Buffer.byteLength(comment), 20);
  plainEnd?.copy(record, 8);
  const plain = Buffer.concat([record, Buffer.from(comment)]);
  if (!zip64) return plain;
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(45, 12);
  large.writeUInt16LE(45, 14);
  for (const [index, value] of [entries, entries, directoryBytes, directoryStart].entries())
    large.writeBigUInt64LE(BigInt(value), 24 + 8 * index);
  const locator = Buffer.concat([
    uint32(0x07064b50),
    uint32(0),
    uint64(actual.directoryStart + actual.directoryBytes),
    uint32(1),
  ]);
  return Buffer.concat([large, locator, plain]);
}

function zip64Field(values: readonly number[]): Buffer {
  return extraField(0x0001, Buffer.concat(values.map(uint64)));
}

/** An extra field with its header. */
export function extraField(id: number, data: Buffer): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(id, 0);
  header.writeUInt16LE(data.length, 2);
  return Buffer.concat([header, data]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
