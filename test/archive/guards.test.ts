/** The data of each entry ends before the next header or the directory, to the byte. */
import { expect, it } from 'vitest';
import { type ArchiveEntry, guardArchive, LOCAL_HEADER_BYTES } from '../../src/archive/guards.ts';
import { PACKAGE_LIMITS } from '../../src/archive/limits.ts';

const SIZE = 10;
/** Bytes of a header, a name of one character, and the data. */
const ENTRY_BYTES = LOCAL_HEADER_BYTES + 1 + SIZE;

function entry(index: number, headerStart: number): ArchiveEntry {
  const name = 'ab'.charAt(index);
  return {
    index,
    name,
    rawName: name,
    isLitter: false,
    headerStart,
    regionEnd: headerStart,
    compressedBytes: SIZE,
    sizeBytes: SIZE,
    deflated: false,
    crc32: 0,
  };
}

const guard = (secondStart: number, directoryStart: number) => () =>
  guardArchive([entry(0, 0), entry(1, secondStart)], directoryStart, PACKAGE_LIMITS);

it('entries may follow each other without a gap', () => {
  expect(guard(ENTRY_BYTES, 2 * ENTRY_BYTES)).not.toThrow();
});

it('an entry that reaches a byte into the next one is refused', () => {
  expect(guard(ENTRY_BYTES - 1, 2 * ENTRY_BYTES)).toThrow('entries "a" and "b" overlap');
});

it('an entry that reaches a byte into the directory is refused', () => {
  expect(guard(ENTRY_BYTES, 2 * ENTRY_BYTES - 1)).toThrow('entry "b" reaches beyond');
});
