/** The imports that a search finds, page by page (decision §searches-are-bounded). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { countImports, type ImportSearch, searchImports } from '../../src/database/import-search.ts';
import type { NewImport } from '../../src/database/repositories/imports.ts';
import type { FileOutcome } from '../../src/database/repositories/reading.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import {
  createdFile,
  invalidPackage,
  newImport,
  openOrm,
  openTestDatabase,
  refusedFile,
  reportOf,
} from '../support/database.ts';

const opened = await openTestDatabase();
const database = opened.database;
const orm = await openOrm(opened.url);

const make = (values: Partial<NewImport>) => newImport(database, { fileName: 'a.zip', ...values });

async function found(search: ImportSearch): Promise<number[]> {
  const { records } = await database.imports.list(search, { limit: 100 });
  return records.map(({ id }) => id);
}

describe('texts', () => {
  it.each([
    ['Export', ['export.zip', 'my EXPORT 2.zip'], ['import.zip']],
    ['100%', ['at 100% done.zip'], ['100 of.zip', '1000.zip']],
    ['a_b', ['a_b.zip'], ['aXb.zip']],
    ['c\\d', ['c\\d.zip'], ['cd.zip', 'c\\\\.zip']],
    ["o'brien", ["O'Brien.zip"], ['obrien.zip']],
    ['ä', ['Ä.zip'], ['a.zip']],
  ])('%s is found literally, in any case', async (text, those, others) => {
    const clientId = `text ${text}`;
    const ids = [];
    for (const fileName of those) ids.push(await make({ clientId, fileName, comment: fileName }));
    for (const fileName of others) await make({ clientId, fileName, comment: fileName });
    await make({ clientId, comment: null, fileName: '-' });
    expect(await found({ clientId, fileName: text })).toEqual(ids.toReversed());
    expect(await found({ clientId, comment: text })).toEqual(ids.toReversed());
  });
});

it('the beginning of a comment is searched, however long it is', async () => {
  const clientId = 'long';
  const [early, late] = [990, 1_001].map((before) => 'x'.repeat(before).concat('needle', 'x'.repeat(5_000)));
  const id = await make({ clientId, comment: early ?? '' });
  await make({ clientId, comment: late ?? '' });
  expect(await found({ clientId, comment: 'NEEDLE' })).toEqual([id]);
});

describe('time', () => {
  it('starts with `from`, and ends before `until`', async () => {
    const clientId = 'time';
    const at = (hour: number) => new Date(Date.UTC(2026, 0, 31, hour));
    const ids: number[] = [];
    for (const hour of [1, 2, 3]) ids.push(await make({ clientId, uploadedAt: at(hour) }));
    expect(await found({ clientId, from: at(2) })).toEqual([ids[2], ids[1]]);
    expect(await found({ clientId, until: at(2) })).toEqual([ids[0]]);
    expect(await found({ clientId, from: at(2), until: at(3) })).toEqual([ids[1]]);
    expect(await found({ clientId, from: at(4) })).toEqual([]);
  });
});

describe('failures', () => {
  it('include packages, files and products, except those that are still to be queued', async () => {
    const clientId = 'failures';
    const products = ['11111-26-00001', '22222-26-00001'].map((productId, n) => createdFile(productId, n));
    const filled = async (...files: FileOutcome[]) => {
      const id = await make({ clientId });
      await database.reading.record(id, null, files);
      return id;
    };
    const fine = await filled(...products, refusedFile('skipped', 9));
    const ofFine = (await reportOf(database, fine)).submissions.map(({ id }) => queued(id, randomUUID()));
    await database.queue.recordResults(fine, ofFine, 'test');
    await database.imports.markQueued(fine);
    const underWay = await filled(...products);
    const unreadable = await make({ clientId });
    await database.imports.fail(unreadable, invalidPackage('broken'), 'test');
    const withFile = await filled(refusedFile('failed', 9));
    const refused = await filled(...products);
    const [first, second] = (await reportOf(database, refused)).submissions;
    await database.queue.recordResults(
      refused,
      [alreadyQueued(first?.id ?? 0, randomUUID(), 'active'), queued(second?.id ?? 0, randomUUID())],
      'test',
    );
    await database.imports.markQueued(refused);
    const failed = await filled(products[1] as FileOutcome);
    const [product] = (await reportOf(database, failed)).submissions;
    const run = randomUUID();
    await database.insertRuns.begin(product?.id ?? 0, run, 'test');
    await database.insertRuns.fail(product?.id ?? 0, run, [], 'test');
    await database.imports.markQueued(failed);

    expect(await found({ clientId, hasFailures: true })).toEqual([failed, refused, withFile, unreadable]);
    expect(await found({ clientId, hasFailures: false })).toEqual([underWay, fine]);
    const counts = await database.imports.countListed({ clientId, hasFailures: true, status: 'failed' });
    expect(counts).toEqual({
      byStatus: { extracting: 1, inserting: 2, completed: 0, failed: 1, cancelled: 0 },
      complete: true,
    });
  });
});

describe('pages', () => {
  it('reach every import once, in the order of uploads, however small the search window is', async () => {
    const clientId = 'pages';
    const made: { id: number; at: number; hit: boolean }[] = [];
    for (let n = 0; n < 30; n += 1) {
      // Times in another order than the IDs, three of them equal.
      const at = Date.UTC(2026, 0, 1 + ((Math.floor(n / 3) * 7) % 10));
      const id = await make({
        clientId,
        fileName: n % 5 === 0 ? 'hit.zip' : 'a.zip',
        uploadedAt: new Date(at),
      });
      made.push({ id, at, hit: n % 5 === 0 });
      await make({ clientId: 'another', fileName: 'hit.zip' });
    }
    made.sort((a, b) => b.at - a.at || b.id - a.id);
    for (const fileName of [undefined, 'HIT', 'nothing']) {
      const expected = made.filter(({ hit }) => fileName === undefined || (hit && fileName === 'HIT'));
      for (const [limit, scanLimit] of [
        [1, 100],
        [4, 7],
        [50, 3],
        [30, 30],
      ] as const) {
        const seen: number[] = [];
        let before: number | undefined;
        for (let pages = 0; pages < 40; pages += 1) {
          const page = await searchImports(orm, { clientId, fileName }, { limit, before, scanLimit });
          expect(page.records.length).toBeLessThanOrEqual(limit);
          seen.push(...page.records.map(({ id }) => id));
          if (page.nextBefore === null) break;
          before = page.nextBefore;
        }
        expect(seen).toEqual(expected.map(({ id }) => id));
      }
    }
  });

  it('continue after an import that is not in the list, and end after the oldest', async () => {
    const clientId = 'behind';
    const [first, second] = [await make({ clientId }), await make({ clientId })];
    const another = await make({ clientId: 'another' });
    const third = await make({ clientId });
    const idsBefore = async (before: number) =>
      (await database.imports.list({ clientId }, { limit: 9, before })).records.map(({ id }) => id);
    expect(await idsBefore(another)).toEqual([second, first]);
    for (const beyond of [third + 1000, Number.MAX_SAFE_INTEGER])
      expect(await idsBefore(beyond)).toEqual([third, second, first]);
    expect(await idsBefore(first)).toEqual([]);
  });

  it('have counts that are marked when they are incomplete', async () => {
    const clientId = 'counts';
    for (let n = 0; n < 3; n += 1) await make({ clientId });
    const of = (scanLimit: number) => countImports(orm, { clientId, fileName: 'a' }, scanLimit);
    expect(await of(3)).toMatchObject({ byStatus: { extracting: 3 }, complete: true });
    expect(await of(2)).toMatchObject({ byStatus: { extracting: 2 }, complete: false });
  });
});
