import { describe, expect, it } from 'vitest';
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
