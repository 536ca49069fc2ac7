/** A ZIP beyond the limits of the first format: its entries are found by another reader. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { createZipWriter } from '../../src/archive/zip-writer.ts';

const GB = 1024 ** 3;
const ZEROS = Buffer.alloc(1024 ** 2);

async function* zeros(bytes: number) {
  for (let at = 0; at < bytes; at += ZEROS.length) yield ZEROS;
}

async function* once(text: string) {
  yield text;
}

/** Keeps only the pieces that are not zeros. */
class Sparse extends RandomAccessReader {
  readonly pieces: { at: number; bytes: Buffer }[] = [];
  size = 0;

  add(bytes: Buffer): void {
    if (bytes !== ZEROS) this.pieces.push({ at: this.size, bytes });
    this.size += bytes.length;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const range = Buffer.alloc(end - start);
    for (const { at, bytes } of this.pieces)
      if (at < end && at + bytes.length > start) {
        const from = Math.max(0, start - at);
        bytes.copy(range, at + from - start, from, Math.min(bytes.length, end - at));
      }
    return Readable.from([range]);
  }
}

async function read(sparse: Sparse): Promise<Map<string, string | number>> {
  const zip = await fromRandomAccessReaderPromise(sparse, sparse.size, {
    lazyEntries: true,
    autoClose: false,
  });
  const found = new Map<string, string | number>();
  for await (const entry of zip.eachEntry() as AsyncIterable<Entry>) {
    if (entry.uncompressedSize > 1000) found.set(entry.fileName, entry.uncompressedSize);
    else
      found.set(
        entry.fileName,
        String(await Readable.from(await zip.openReadStreamPromise(entry)).toArray()),
      );
  }
  return found;
}

it('larger than 4 GB', async () => {
  const zip = createZipWriter();
  const sparse = new Sparse();
  for (let n = 0; n < 5; n += 1) {
    const declared = { name: `zeros-${n}`, deflated: false, compressedBytes: GB, sizeBytes: GB, crc32: 0 };
    for await (const piece of zip.copied(declared, zeros(GB))) sparse.add(piece);
  }
  for await (const piece of zip.deflated('behind.txt', once('found'))) sparse.add(piece);
  sparse.add(zip.end());
  const found = await read(sparse);
  expect([...found.keys()].length).toBe(6);
  expect(found.get('behind.txt')).toBe('found');
});

it('with more than 65,535 entries', async () => {
  const zip = createZipWriter();
  const sparse = new Sparse();
  const empty = { deflated: false, compressedBytes: 0, sizeBytes: 0, crc32: 0 };
  for (let n = 0; n < 65_536; n += 1)
    for await (const piece of zip.copied({ ...empty, name: `${n}` }, zeros(0))) sparse.add(piece);
  sparse.add(zip.end());
  const opened = await fromRandomAccessReaderPromise(sparse, sparse.size, { lazyEntries: true });
  expect(opened.entryCount).toBe(65_536);
});
