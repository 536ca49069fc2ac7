/** Notes of files go with their package, when statistics no longer count them; submissions stay (decision §retention). */
import { describe, expect, it } from 'vitest';
import { NOTES_REMOVED, plainReason } from '../../src/contract/reasons.ts';
import { createdFile, newImport, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const { database, url } = await openTestDatabase();
const { retention } = database;

/**
 * An import with a submission, a refused, a skipped and an unreadable file, and these submitters. Its package was
 * removed.
 */
async function removedImport(daysAgo: number, submitterIds: string[] = []): Promise<number> {
  const importId = await newImport(database);
  const entry = (outcome: 'failed' | 'skipped', entryIndex: number) => ({
    outcome,
    entryIndex,
    entryPath: `${entryIndex}`,
    xmlFile: `${entryIndex}.xml`,
    reasons: [plainReason('a reason')],
    productId: null,
  });
  await database.reading.record(importId, null, [
    createdFile(newProductId()),
    entry('failed', 1),
    entry('skipped', 2),
  ]);
  await database.referredFiles.recordUnreadable(importId, {
    kind: 'attachment',
    entryIndex: 3,
    entryPath: '3',
    xmlFile: '3.xml',
    reasons: [plainReason('a reason')],
  });
  for (const submitterId of submitterIds)
    await database.referredFiles.recordSubmitter(importId, {
      tenant: 'client',
      submitterId,
      entryPath: `root/export/submitters/${submitterId}.xml`,
      details: {},
    });
  await runSql(
    url,
    `update zip_import set uploaded_at = now() - interval '${daysAgo} days', completed_at = now(), status = 'completed', archive_removed_at = now()
      where id = ${importId}`,
  );
  return importId;
}

const filesOf = (importId: number) =>
  runSql<{ xml_file: string; reasons: { text: string }[] }>(
    url,
    `select xml_file, reasons from zip_import_file where zip_import_id = ${importId} order by entry_index`,
  );
const oldImports = (retentionDays: number) =>
  retention.importsWithOldNotes(new Date(Date.now() - retentionDays * DAY_MS), 0, 100);

describe('notes of files', () => {
  it('are removed with one note in their place; submissions stay', async () => {
    const importId = await removedImport(92);
    expect(await oldImports(90)).toEqual([importId]);
    expect(await retention.removeNotes(importId)).toBe(3);
    expect(await filesOf(importId)).toEqual([
      { xml_file: '…', reasons: [expect.objectContaining({ text: NOTES_REMOVED })] },
    ]);
    expect(await database.reports.counts(importId)).toEqual({
      created: 1,
      skipped: 0,
      failed: 0,
      queued: 0,
      queueFailed: 0,
      inserted: 0,
      insertFailed: 0,
    });
    expect(await oldImports(90)).toEqual([]);
  });

  it('stay while statistics count them, and while the package is kept', async () => {
    const young = await removedImport(89);
    const kept = await removedImport(92);
    await runSql(url, `update zip_import set archive_removed_at = null where id = ${kept}`);
    expect(await oldImports(30)).toEqual([]);
    const longer = await removedImport(92);
    expect(await oldImports(365)).toEqual([]);
    expect(await oldImports(90)).toEqual([longer]);
    expect([(await filesOf(young)).length, (await filesOf(kept)).length]).toEqual([3, 3]);
  });
});

describe('submitter files', () => {
  it('are removed unless a product refers to them or they are the newest', async () => {
    const submitterIds = ['11111', '22222'];
    const first = await removedImport(92, submitterIds);
    const second = await removedImport(92, submitterIds);
    await runSql(
      url,
      `update submission set submitter_row_id =
         (select id from submitter where zip_import_id = ${first} and submitter_id = '11111')
        where zip_import_id = ${first}`,
    );
    for (const id of [first, second]) await retention.removeNotes(id);
    expect(
      await runSql(url, 'select zip_import_id as id, submitter_id from submitter order by submitter_id, id'),
    ).toEqual([
      { id: expect.anything(), submitter_id: '11111' },
      { id: expect.anything(), submitter_id: '11111' },
      { id: expect.anything(), submitter_id: '22222' },
    ]);
    const left = await runSql<{ n: number }>(
      url,
      `select count(*)::int as n from submitter where zip_import_id = ${first}`,
    );
    expect(left).toEqual([{ n: 1 }]);
  });
});
