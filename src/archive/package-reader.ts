/** The guarded walk through a package: what it holds, and the bytes of each file, checked while they are read. */
import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32 } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from 'yauzl';
import { InvalidPackage, messageOf } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';
import { type GuardedEntry, guardArchive, guardEntry } from './guards.ts';
import { baseName, classify, type FileKind, findRoot } from './layout.ts';
import { PACKAGE_LIMITS, type PackageLimits } from './limits.ts';
import { prependedBytes } from './prepended-data.ts';
import { SourceReader } from './source-reader.ts';
import { StorageFailure, type StoredFileReader } from './storage.ts';

/** A file of the package that concerns us. */
export interface PackageFile {
  kind: FileKind;
  /** Position in the archive, from 0. */
  index: number;
  /** Normalized path in the archive. */
  path: string;
  /** Base name: how the interface reports a file. */
  name: string;
  /** Uncompressed size as declared; reading fails when it is not the true one. */
  sizeBytes: number;
}

export interface PackageReader {
  root: string;
  /** In archive order. */
  files: PackageFile[];
  /**
   * The bytes of a file, inflated and checked against its declared size and CRC.
   *
   * The stream fails with InvalidPackage when they do not match: such an archive is damaged as a whole.
   */
  stream(file: PackageFile): Promise<Readable>;
  /** Like `stream`, all at once. */
  read(file: PackageFile): Promise<Buffer>;
  close(): void;
}

/**
 * Opens a stored package and judges it as a whole.
 *
 * @throws InvalidPackage when the archive cannot be read, is hostile, or has not the expected layout
 */
export async function openPackage(
  stored: StoredFileReader,
  limits: PackageLimits = PACKAGE_LIMITS,
): Promise<PackageReader> {
  const zip = await openZip(stored);
  try {
    const entries = await guardedEntries(zip, limits);
    const root = findRoot(entries.map(({ name }) => name));
    const originals = new Map<PackageFile, Entry>();
    for (const { index, name, entry } of entries) {
      const kind = classify(name, root);
      if (kind === null) continue;
      const file = { kind, index, path: name, name: baseName(name), sizeBytes: entry.uncompressedSize };
      refuseAbsurdProduct(file, limits);
      originals.set(file, entry);
    }
    const stream = (file: PackageFile) => openEntry(zip, file, originals.get(file));
    return {
      root,
      files: [...originals.keys()],
      stream,
      async read(file) {
        const chunks = await (await stream(file)).toArray();
        return Buffer.concat(chunks as Buffer[]);
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openZip(stored: StoredFileReader): Promise<ZipFile> {
  try {
    const reader = new SourceReader(stored, await prependedBytes(stored));
    return await fromRandomAccessReaderPromise(reader, reader.sizeBytes, {
      autoClose: false,
      decodeStrings: true,
    });
  } catch (error) {
    throw unlessStorage(error, (reason) => `not a readable ZIP archive (${reason})`);
  }
}

async function guardedEntries(zip: ZipFile, limits: PackageLimits): Promise<GuardedEntry[]> {
  if (zip.entryCount > limits.entries) {
    throw new InvalidPackage(
      `the archive has ${zip.entryCount} entries; at most ${limits.entries} are accepted`,
    );
  }
  const entries: GuardedEntry[] = [];
  try {
    for await (const entry of zip.eachEntry()) entries.push(guardEntry(entry, entries.length, limits));
  } catch (error) {
    throw unlessStorage(error, (reason) => `the archive's directory is damaged or unsafe (${reason})`);
  }
  guardArchive(entries, limits);
  return entries;
}

function refuseAbsurdProduct(file: PackageFile, limits: PackageLimits): void {
  if (file.kind !== 'product' || file.sizeBytes <= limits.absurdProductFileBytes) return;
  throw new InvalidPackage(
    `product file "${excerpt(file.name, 120)}" unpacks to ${file.sizeBytes} bytes; at most ${limits.productFileBytes} are accepted`,
  );
}

async function openEntry(zip: ZipFile, file: PackageFile, entry: Entry | undefined): Promise<Readable> {
  if (!entry) throw new Error(`${file.path} is not a file of this package`);
  const damaged = (error: unknown) =>
    unlessStorage(error, (reason) => `entry "${excerpt(file.path, 120)}" is damaged (${reason})`);
  const source = await zip.openReadStreamPromise(entry).catch((error: unknown) => {
    throw damaged(error);
  });
  const checked = new CrcCheck(entry.crc32);
  pipeline(source, checked, () => {});
  return Readable.from(mapErrors(checked, damaged), { objectMode: false });
}

async function* mapErrors(source: Readable, map: (error: unknown) => Error): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw map(error);
  }
}

/** yauzl checks sizes but no checksums. */
class CrcCheck extends Transform {
  readonly #expected: number;
  #actual = 0;

  constructor(expected: number) {
    super();
    this.#expected = expected;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.#actual = crc32(chunk, this.#actual);
    callback(null, chunk);
  }

  override _flush(callback: TransformCallback): void {
    callback(this.#actual === this.#expected ? null : new Error('its checksum does not match'));
  }
}

/** What went wrong while reading is the archive's fault, unless the storage failed or the fault has a name already. */
function unlessStorage(error: unknown, describe: (reason: string) => string): Error {
  if (error instanceof StorageFailure || error instanceof InvalidPackage) return error;
  return new InvalidPackage(describe(excerpt(messageOf(error), 200)));
}
