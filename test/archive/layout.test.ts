/** Names and places of entries. */
import { describe, expect, it } from 'vitest';
import { type ArchiveEntry, guardArchive, LOCAL_HEADER_BYTES } from '../../src/archive/guards.ts';
import { classify, findRoot, isLitter, misplaced, normalizeEntryName } from '../../src/archive/layout.ts';
import { InvalidPackage } from '../../src/domain/client-errors.ts';

describe('the root directory', () => {
  it('is the only top-level directory, besides files of operating systems', () => {
    expect(findRoot(['a/export/x.xml', '__MACOSX/a/._x.xml', '.DS_Store', 'readme.txt'])).toBe('a');
  });

  it('may have export in any case', () => {
    expect(findRoot(['a/EXPORT/x.xml'])).toBe('a');
  });

  it.each([
    [['b/export/x', 'a/y'], 'expected a single root directory but found multiple: a, b'],
    [[], 'found none (the archive is empty)'],
    [['x.xml'], 'found none (found only "x.xml")'],
    [['a/', 'a/b/'], 'expected a directory named "export" in the root directory "a" (found "b")'],
    [['a/'], '(the root directory is empty)'],
    [['a/exports/x.xml'], '(found "exports")'],
    [['a/export'], '(found "export")'],
  ])('%j is refused', (names, reason) => {
    expect(() => findRoot(names)).toThrow(InvalidPackage);
    expect(() => findRoot(names)).toThrow(reason);
  });
});

describe('files', () => {
  it.each([
    ['r/export/ecigarette-product-submissions/a.xml', 'product'],
    ['r/export/ecigarette-product-submissions/deeper/a.XML', 'product'],
    ['r/export/tobacco-product-submissions/a.xml', 'tobacco-product'],
    ['r/export/attachments/a.xml', 'attachment'],
    ['r/export/submitters/a.xml', 'submitter'],
    ['r/export/ecigarette-product-submissions/a.txt', null],
    ['r/export/ecigarette-product-submissions/._a.xml', null],
    ['r/export/ecigarette-product-submissions/', null],
    ['r/Export/ECIGARETTE-Product-Submissions/a.xml', 'product'],
    ['r/export/Attachments/a.xml', 'attachment'],
    ['r/export/a.xml', 'other'],
    ['r/export/attachments.xml', 'other'],
    ['r/export/constructor/a.xml', 'other'],
    ['r/export/products/deeper/a.xml', 'other'],
    ['r/other/ecigarette-product-submissions/a.xml', 'other'],
    ['r/ecigarette-product-submissions/a.xml', 'other'],
    ['a.xml', 'other'],
    ['r/export/products/._a.xml', null],
    ['r/readme.txt', null],
  ])('%s is %s', (name, kind) => {
    expect(classify(name, 'r')).toBe(kind);
  });

  it('in no folder of the layout have a reason with their shortened path', () => {
    expect(misplaced('r/export/a.xml')).toBe(
      '"r/export/a.xml" was not read. XML files are read in these folders of "export": ecigarette-product-submissions, tobacco-product-submissions, attachments, submitters',
    );
    expect(misplaced(`r/${'x'.repeat(1000)}.xml`).length).toBeLessThan(400);
  });

  it('have normalized names', () => {
    expect(normalizeEntryName('./a//b/./c.xml')).toBe('a/b/c.xml');
    expect(normalizeEntryName('./a/')).toBe('a/');
    expect(normalizeEntryName('./')).toBe('');
  });

  it('of operating systems are recognized by their names', () => {
    expect(['__MACOSX/x', 'a/.DS_Store', 'a/Thumbs.db', 'a/._x'].every(isLitter)).toBe(true);
    expect(isLitter('a/x.xml')).toBe(false);
  });
});

const SIZE = 10;
/** Bytes of a header, a name of one character, and the data. */
const ENTRY_BYTES = LOCAL_HEADER_BYTES + 1 + SIZE;

function entry(index: number, headerStart: number): ArchiveEntry {
  const name = 'ab'.charAt(index);
  return {
    index,
    name,
    rawName: name,
    headerStart,
    regionEnd: headerStart,
    compressedBytes: SIZE,
    sizeBytes: SIZE,
    deflated: false,
    crc32: 0,
  };
}

const guard = (secondStart: number, directoryStart: number) => () =>
  guardArchive([entry(0, 0), entry(1, secondStart)], directoryStart);

it('entries may follow each other without a gap', () => {
  expect(guard(ENTRY_BYTES, 2 * ENTRY_BYTES)).not.toThrow();
});

it('an entry that reaches a byte into the next one is refused', () => {
  expect(guard(ENTRY_BYTES - 1, 2 * ENTRY_BYTES)).toThrow('entries "a" and "b" overlap');
});

it('an entry that reaches a byte into the directory is refused', () => {
  expect(guard(ENTRY_BYTES, 2 * ENTRY_BYTES - 1)).toThrow('entry "b" reaches beyond');
});
