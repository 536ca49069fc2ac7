import { describe, expect, it } from 'vitest';
import { classify, findRoot, isLitter, normalizeEntryName } from '../../src/archive/layout.ts';
import { InvalidPackage } from '../../src/domain/errors.ts';

describe('the root directory', () => {
  it('is the one top-level directory, whatever operating systems leave beside it', () => {
    expect(findRoot(['a/export/x.xml', '__MACOSX/a/._x.xml', '.DS_Store', 'readme.txt'])).toBe('a');
  });

  it.each([
    [['b/export/x', 'a/y'], 'expected a single root directory but found multiple: a, b'],
    [[], 'found none (the archive is empty)'],
    [['x.xml'], 'found none (found only "x.xml")'],
    [['a/', 'a/b/'], 'expected a directory named "export" in the root directory "a" (found "b")'],
    [['a/'], '(the root directory is empty)'],
    [['a/EXPORT/x.xml'], '(found "EXPORT")'],
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
    ['r/export/a.xml', null],
    ['r/export/constructor/a.xml', null],
    ['r/other/ecigarette-product-submissions/a.xml', null],
  ])('%s is %s', (name, kind) => {
    expect(classify(name, 'r')).toBe(kind);
  });

  it('have normalized names', () => {
    expect(normalizeEntryName('./a//b/./c.xml')).toBe('a/b/c.xml');
    expect(normalizeEntryName('./a/')).toBe('a/');
    expect(normalizeEntryName('./')).toBe('');
  });

  it('are litter by their names', () => {
    expect(['__MACOSX/x', 'a/.DS_Store', 'a/Thumbs.db', 'a/._x'].every(isLitter)).toBe(true);
    expect(isLitter('a/x.xml')).toBe(false);
  });
});
