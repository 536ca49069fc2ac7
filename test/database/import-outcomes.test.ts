/** The list of what became of each file of an import: failures first, filtered, searched, counted, in pages. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { OUTCOMES } from '../../src/contract/statuses.ts';
import type { OutcomeFilter } from '../../src/database/repositories/import-outcomes.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import { createdFile, newImport, openTestDatabase, refusedFile, reportOf } from '../support/database.ts';
import { runSql } from '../support/servers.ts';

const { database, url } = await openTestDatabase();
const { importOutcomes } = database;

const productId = (entry: number) => `99962-26-0000${entry}`;

/** An import with one file of each outcome. Products are the entries 0 to 4. */
async function everyOutcome(): Promise<number> {
  const importId = await newImport(database);
  await database.reading.record(importId, null, [
    ...[0, 1, 2, 3, 4].map((entry) => createdFile(productId(entry), entry)),
    { ...refusedFile('failed', 5, productId(5)), reasons: [plainReason('NotifiedBy 100% "odd"_value')] },
    refusedFile('skipped', 6),
  ]);
  await runSql(
    url,
    `insert into zip_import_file (zip_import_id, entry_index, entry_path, xml_file, kind, outcome, reasons)
     values (${importId}, 7, 'a.xml', 'a.xml', 'attachment', 'failed', '[]')`,
  );
  await database.imports.markRead(importId);
  const { submissions } = await reportOf(database, importId);
  const id = (entry: number) => submissions[entry]?.id ?? 0;
  const results = [0, 1, 2].map((entry) => queued(id(entry), randomUUID()));
  await database.queue.recordResults(
    importId,
    [...results, alreadyQueued(id(3), randomUUID(), 'active')],
    'test',
  );
  const reasons = JSON.stringify([{ ...plainReason('too late'), path: 'Product/Design' }]);
  await runSql(
    url,
    `update submission set status = 'regulator_inserted', case_id = 'CASE-7', warnings = '[{"text": "unusual, but imported"}]'
      where id = ${id(0)}`,
  );
  await runSql(
    url,
    `update submission set status = 'regulator_insert_failed', failure_reason = '${reasons}' where id = ${id(1)}`,
  );
  return importId;
}

const importId = await everyOutcome();

async function listed(filter: Omit<OutcomeFilter, 'importId'> = {}): Promise<string[]> {
  const { page } = await importOutcomes.list({ importId, ...filter }, { limit: 50 });
  return page.map(({ outcome }) => outcome);
}

describe('outcomes of an import', () => {
  it('are in the order of the contract, each with its record', async () => {
    const { page, nextBefore } = await importOutcomes.list({ importId }, { limit: 50 });
    expect(page.map(({ outcome }) => outcome)).toEqual(OUTCOMES);
    expect(nextBefore).toBeNull();
    const of = Object.fromEntries(page.map((one) => [one.outcome, one]));
    expect(of.refused).toMatchObject({ submission: null, file: { productId: productId(5) } });
    expect(of.failed).toMatchObject({
      submission: { offersInsert: true, row: { productId: productId(1) } },
      file: null,
    });
    expect(of.not_queued?.queueMessage).toContain('already');
    expect(of.inserting?.submission).toMatchObject({ offersInsert: false, row: { productId: productId(2) } });
    expect(of.waiting).toMatchObject({
      queueMessage: null,
      submission: { row: { productId: productId(4) } },
    });
    expect(of.unreadable?.file?.kind).toBe('attachment');
  });

  it('are counted, with those that can be retried', async () => {
    expect(await importOutcomes.counts(importId)).toEqual({
      by_outcome: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 1])),
      warned: 1,
      // Failed, not queued, and not yet queued.
      retryable: 3,
    });
    const empty = await newImport(database);
    expect(await importOutcomes.counts(empty)).toMatchObject({ by_outcome: { waiting: 0 }, retryable: 0 });
    expect(await importOutcomes.list({ importId: empty }, { limit: 1 })).toEqual({
      page: [],
      nextBefore: null,
    });
  });

  it.each([
    [{ outcome: 'failed' }, ['failed']],
    [{ warned: true }, ['inserted']],
    [{ warned: true, outcome: 'failed' }, []],
    [{ text: productId(2) }, ['inserting']],
    [{ text: '6.XML' }, ['skipped']],
    [{ text: 'case-7' }, ['inserted']],
    [{ text: 'TOO LATE' }, ['failed']],
    [{ text: 'product/des' }, ['failed']],
    [{ text: 'already' }, ['not_queued']],
    [{ text: '100% "odd"_' }, ['refused']],
    [{ text: '100_' }, []],
    // The name of a field, which is no text of a reason.
    [{ text: 'commission_code' }, []],
    [{ text: 'xml', outcome: 'waiting' }, ['waiting']],
  ] as const)('that match %j are listed', async (filter, expected) => {
    expect(await listed(filter)).toEqual(expected);
  });

  it('of another import are not listed', async () => {
    const other = await everyOutcome();
    const { page } = await importOutcomes.list({ importId: other }, { limit: 50 });
    expect(page).toHaveLength(OUTCOMES.length);
    expect(await listed()).toHaveLength(OUTCOMES.length);
  });

  it('are listed once each in pages of any size, in archive order within an outcome', async () => {
    const large = await newImport(database);
    const files = Array.from({ length: 12 }, (_, n) =>
      createdFile(`99962-26-1${String(n).padStart(4, '0')}`, n),
    );
    await database.reading.record(large, null, [
      ...files,
      refusedFile('failed', 12),
      refusedFile('failed', 13),
    ]);
    const whole = await importOutcomes.list({ importId: large }, { limit: 50 });
    const names = whole.page.map(({ submission, file }) => submission?.row.xmlFile ?? file?.xmlFile);
    expect(names).toEqual([12, 13, ...files.keys()].map((entry) => `${entry}.xml`));
    expect(whole.page.map(({ place }) => place)).toEqual(whole.page.map(({ place }) => place).sort());
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 15 }), async (limit) => {
        const places: string[] = [];
        let before: string | undefined;
        do {
          const { page, nextBefore } = await importOutcomes.list({ importId: large }, { limit, before });
          places.push(...page.map(({ place }) => place));
          expect(places.length).toBeLessThanOrEqual(whole.page.length);
          before = nextBefore ?? undefined;
        } while (before !== undefined);
        expect(places).toEqual(whole.page.map(({ place }) => place));
      }),
      { numRuns: 8 },
    );
  });

  it('of many bytes end a page early, which has at least one', async () => {
    const large = await newImport(database);
    const reasons = [plainReason('x'.repeat(40_000))];
    await database.reading.record(
      large,
      null,
      [0, 1, 2].map((entry) => ({ ...refusedFile('failed', entry), reasons })),
    );
    const first = await importOutcomes.list({ importId: large }, { limit: 2 });
    expect(first.page).toHaveLength(1);
    const { page, nextBefore } = await importOutcomes.list(
      { importId: large },
      { limit: 3, before: first.nextBefore ?? '' },
    );
    expect([page.length, nextBefore]).toEqual([2, null]);
  });
});
