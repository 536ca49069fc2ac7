/** A report shows the state of one moment, and a slow reader holds no connection (decision §reports-are-streamed). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { summaryOf } from '../../activities/send-summary.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import { NotFound } from '../../src/domain/client-errors.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import { queuedImport, snapshotOf } from '../../src/gateway/presenters/import-source.ts';
import { unlimitedRead } from '../support/counted-quotas.ts';
import { createdFile, newImport, openAgain, refusedFile, reportOf } from '../support/database.ts';
import { makeLargeImport, PRODUCTS } from '../support/large-import.ts';
import { newProductId } from '../support/product-xml.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';

const { url } = await createTestDatabase();
// With one connection, a report that held it while it is read would stop everything else.
const database = await openAgain(url, { poolSize: 1 });

const { reports } = database;

/** An import of three pages, and its submissions. */
async function threePages() {
  const importId = await newImport(database);
  const files = Array.from({ length: 450 }, (_, n) => createdFile(newProductId(), n));
  await database.reading.record(importId, null, files);
  const { submissions } = await reportOf(database, importId);
  return { importId, submissions };
}

describe('a snapshot', () => {
  it('does not change while the import continues', async () => {
    const { importId, submissions } = await threePages();
    const results = submissions.map(({ id }) => queued(id, randomUUID()));
    await database.queue.recordResults(importId, results.slice(0, 300), 'test');
    const snapshot = await snapshotOf(reports, unlimitedRead, importId);
    const reading = snapshot.withWarnings()[Symbol.asyncIterator]();
    await reading.next();

    await database.queue.recordResults(importId, results.slice(300), 'test');
    const late = refusedFile('failed', 999);
    await database.reading.record(importId, null, [late, createdFile(newProductId(), 998)]);
    expect((await reportOf(database, importId)).submissions).toHaveLength(451);

    expect(snapshot.counts).toMatchObject({ queued: 300, refused: 0 });
    expect(snapshot.fileCounts.failed).toBe(0);
    const shown = await Array.fromAsync(snapshot.submissions());
    expect(shown.map(({ id }) => id)).toEqual(submissions.map(({ id }) => id));
    expect(shown.filter(({ status }) => status === 'regulator_inserting')).toHaveLength(300);
    expect(shown.filter(({ queueResult }) => queueResult?.status === 202)).toHaveLength(300);
    expect(await Array.fromAsync(snapshot.files('failed'))).toEqual([]);
    await reading.return?.();
  });

  it('has the values of the database for a product', async () => {
    const productId = newProductId();
    const importId = await newImport(database);
    await database.reading.record(importId, null, [createdFile(productId)]);
    await database.imports.markRead(importId);
    const { submissions } = await reportOf(database, importId);
    const job = randomUUID();
    await database.queue.recordResults(
      importId,
      [alreadyQueued(submissions[0]?.id ?? 0, job, 'active')],
      'test',
    );
    const snapshot = await snapshotOf(reports, unlimitedRead, importId);
    const [shown] = await Array.fromAsync(snapshot.submissions());
    const found = await database.submissions.find(submissions[0]?.id ?? 0);
    expect(shown).toMatchObject({
      productId,
      createdAt: found?.submission.createdAt,
      updatedAt: found?.submission.updatedAt,
      offersInsert: true,
      queueResult: { status: 409, jobId: job, jobState: 'active', createdAt: expect.any(Date) },
    });
    expect(snapshot.counts).toMatchObject({ queued: 0, refused: 1, progress: { local: 1 } });
  });

  it('leaves out products of other submitters, but not refused files', async () => {
    const importId = await newImport(database);
    await database.reading.record(importId, null, [
      ...[createdFile('11111-26-00001', 0), createdFile('22222-26-00001', 1)],
      ...[refusedFile('skipped', 2, '11111-26-00002'), refusedFile('skipped', 3, '22222-26-00002')],
      ...[refusedFile('skipped', 4), refusedFile('failed', 5, '22222-26-00003')],
    ]);
    const snapshot = await snapshotOf(reports, unlimitedRead, importId);
    expect(snapshot.fileCounts).toMatchObject({ failed: 1, skipped: 3, unreadable: 0 });
    const skipped = await Array.fromAsync(snapshot.files('skipped'));
    expect(skipped.map(({ xmlFile }) => xmlFile)).toEqual(['2.xml', '3.xml', '4.xml']);
    const shown = await Array.fromAsync(snapshot.submissions());
    expect(shown.map(({ productId }) => productId)).toEqual(['11111-26-00001', '22222-26-00001']);
    expect(snapshot.counts.progress.local).toBe(2);
  });

  it('looks up warnings only of submissions that have some', async () => {
    const importId = await newImport(database);
    const files = [createdFile(newProductId(), 0), createdFile(newProductId(), 1)];
    await database.reading.record(importId, null, files);
    const warnings = [plainReason('Email is unusual')];
    await runSql(
      url,
      `update submission set warnings = '${JSON.stringify(warnings)}' where zip_import_id = ${importId} and entry_index = 1`,
    );
    const asked: number[] = [];
    const counting: typeof reports = {
      ...reports,
      warnings(ids) {
        asked.push(...ids);
        return reports.warnings(ids);
      },
    };
    const snapshot = await snapshotOf(counting, unlimitedRead, importId);
    const shown = await Array.fromAsync(snapshot.withWarnings());
    expect(shown.map((one) => one.warnings)).toEqual([[], warnings]);
    expect(asked).toEqual([shown[1]?.submission.id]);
  });

  it('of a missing import is refused', async () => {
    await expect(snapshotOf(reports, unlimitedRead, 2_000_000_000)).rejects.toThrow(NotFound);
    await expect(queuedImport(database.reports, 2_000_000_000)).rejects.toThrow(NotFound);
  });
});

describe('the answer to an upload', () => {
  it('is read page by page, without holding a connection', async () => {
    const { importId } = await threePages();
    const source = await queuedImport(database.reports, importId);
    const reading = source.withWarnings()[Symbol.asyncIterator]();
    await reading.next();
    await database.ping();
    expect(await Array.fromAsync(source.submissions())).toHaveLength(450);
  });
});

describe('the summary of 10,000 products', () => {
  it('starts with failures, unqueued products and warnings, and counts all', async () => {
    const importId = await makeLargeImport((statement) => runSql(url, statement), { warned: false });
    const change = (entryIndex: number, set: string) =>
      runSql(
        url,
        `update submission set ${set} where zip_import_id = ${importId} and entry_index = ${entryIndex}`,
      );
    const short = JSON.stringify([{ ...plainReason('too short'), path: 'Product/Design' }]);
    await change(9_001, `status = 'regulator_insert_failed', failure_reason = '${short}'`);
    await change(9_501, `status = 'local'`);
    const odd = JSON.stringify([{ ...plainReason('Email is unusual'), line: 7, check: 'new_check' }]);
    await change(9_999, `warnings = '${odd}'`);
    const record = await database.imports.find(importId);
    if (!record) throw new Error('no import');
    const summary = await database.reports.onSnapshot(importId, (moment) => summaryOf(record, moment, false));
    expect(summary.counts).toMatchObject({
      inserted: PRODUCTS - 2,
      failed: 1,
      'not queued': 1,
      unfinished: 0,
      unreadable: 1_000,
    });
    const products = summary.rows.filter(({ product }) => product);
    const numbers = products.map(({ subject }) => Number(subject.slice(-5)));
    expect(numbers.slice(0, 4)).toEqual([9_001, 9_501, 9_999, 1]);
    expect(products[0]).toMatchObject({
      outcome: 'failed',
      reason: 'too short (Product/Design)',
      product: { caseId: 'CASE-9001' },
    });
    expect(products[1]?.reason).toBeTruthy();
    expect(products[2]?.product?.warnings).toEqual(['Email is unusual (line 7, new_check)']);
    // Enough for the table in the mail, and no more.
    expect(products.length).toBeGreaterThan(1_000);
    expect(products.length).toBeLessThan(5_000);
  });
});
