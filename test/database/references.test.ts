/** A referenced attachment or submitter is kept, even after its import is removed. */
import { randomUUID } from 'node:crypto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createForgetPackage } from '../../activities/forget-package.ts';
import { createImportRecords } from '../../activities/import-records.ts';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import {
  createdFile,
  invalidPackage,
  newAttachment,
  newImport,
  openOrm,
  openTestDatabase,
  reportOf,
  someWaitForALock,
} from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

const TENANT = 'client';
const DAY_MS = 24 * 60 * 60 * 1000;

const opened = await openTestDatabase();
const database = opened.database;
const orm = await openOrm(opened.url);

const sql = <T>(statement: string, values: unknown[] = []) => orm.em.fork().execute<T[]>(statement, values);

/** An import with an attachment and a submitter, and a product that references both. */
async function importThatBrings(submitterId: string) {
  const importId = await newImport(database);
  const attachmentId = randomUUID();
  const storageKey = `attachments/${attachmentId}`;
  const attachment = newAttachment({ tenant: TENANT, attachmentId, storageKey });
  await database.referredFiles.recordAttachment(importId, attachment, async () => {});
  await database.referredFiles.recordSubmitter(importId, {
    tenant: TENANT,
    submitterId,
    entryPath: 'root/export/submitters/s.xml',
    details: { name: 'Vapour Ltd' },
  });
  return { importId, attachmentId, submitterId, storageKey };
}

/** Repeats reading for a product that references known files. */
async function productThatRefers(importId: number, to: { attachmentId: string; submitterId: string }) {
  const of = { tenant: TENANT, importId };
  const attachments = await database.referredFiles.latestAttachments([to.attachmentId], of);
  const submitters = await database.referredFiles.latestSubmitters([to.submitterId], of);
  const file = {
    ...createdFile(newProductId()),
    submitterRowId: submitters.get(to.submitterId)?.id ?? null,
    attachments: [
      {
        attachmentId: to.attachmentId,
        step: 'design' as const,
        attachment: attachments.get(to.attachmentId)?.id ?? null,
      },
    ],
  };
  await database.reading.record(importId, null, [file]);
  const { submissions } = await reportOf(database, importId);
  return submissions[0]?.id ?? 0;
}

/** The content that the steps of a submission would send. */
async function sentFor(submissionId: number) {
  const run = randomUUID();
  const { begun } = await database.insertRuns.begin(submissionId, run, 'test');
  const entry = await database.insertSteps.enterStep(submissionId, 'init_validate', run);
  expect(entry).toEqual({ kind: 'open', submission: begun?.submission });
  const design = await database.insertSteps.enterStep(submissionId, 'design', run);
  return {
    section: entry.kind === 'open' ? JSON.parse(entry.submission.section ?? 'null') : null,
    attachments:
      design.kind === 'open' ? design.submission.attachments.map(({ storageKey }) => storageKey) : [],
  };
}

async function attachmentsOf(importId: number): Promise<string[]> {
  const rows = await sql<{ key: string }>(
    'select storage_key as key from attachment where zip_import_id = ?',
    [importId],
  );
  return rows.map(({ key }) => key);
}

const fail = (importId: number) =>
  database.imports.fail(importId, invalidPackage('entry is damaged'), 'test');

/** Removes the attachments of a failed import. Returns the keys of the removed contents. */
async function forget(importId: number, removeContent = async () => {}): Promise<string[]> {
  const removed: string[] = [];
  const remove = async (key: string) => {
    await removeContent();
    removed.push(key);
  };
  const forgetPackage = createForgetPackage({ database, storage: { remove } as unknown as ArchiveStorage });
  await new MockActivityEnvironment().run(() => forgetPackage({ importId }));
  return removed;
}

async function failAndForget(importId: number): Promise<string[]> {
  await fail(importId);
  return forget(importId);
}

describe('an import that fails', () => {
  it('keeps attachments that a product of another import refers to', async () => {
    const brought = await importThatBrings('10001');
    const id = await productThatRefers(await newImport(database), brought);

    expect(await failAndForget(brought.importId)).toEqual([]);
    expect(await sentFor(id)).toMatchObject({
      section: { SubmitterDetails: { name: 'Vapour Ltd' } },
      attachments: [brought.storageKey],
    });
  });

  it('removes attachments that only its own products refer to', async () => {
    const brought = await importThatBrings('10002');
    await productThatRefers(brought.importId, brought);
    expect(await failAndForget(brought.importId)).toEqual([brought.storageKey]);
    const { attachmentId, submitterId } = brought;
    const of = { tenant: TENANT, importId: null };
    expect(await database.referredFiles.latestAttachments([attachmentId], of)).toEqual(new Map());
    expect(await database.referredFiles.latestSubmitters([submitterId], of)).toEqual(new Map());
  });

  it('keeps content that another package has brought as well', async () => {
    const brought = await importThatBrings('10009');
    const other = await newImport(database);
    const attachment = newAttachment({ attachmentId: randomUUID(), storageKey: brought.storageKey });
    await database.referredFiles.recordAttachment(other, attachment, async () => {});
    expect(await failAndForget(brought.importId)).toEqual([]);
    expect(await attachmentsOf(brought.importId)).toEqual([]);
    expect(await failAndForget(other)).toEqual([brought.storageKey]);
  });

  it('keeps the record of content that the storage does not remove, for the next attempt', async () => {
    const brought = await importThatBrings('10010');
    await fail(brought.importId);
    const away = async () => {
      throw new Error('The storage is away.');
    };
    await expect(forget(brought.importId, away)).rejects.toThrow('The storage is away.');
    expect(await attachmentsOf(brought.importId)).toEqual([brought.storageKey]);
    expect(await forget(brought.importId)).toEqual([brought.storageKey]);
    expect(await attachmentsOf(brought.importId)).toEqual([]);
  });

  it('keeps its attachments once it is read again', async () => {
    const brought = await importThatBrings('10011');
    await fail(brought.importId);
    const [found] = await database.referredFiles.unreferredOfFailed(brought.importId, 0, 1);
    expect(found).toMatchObject({ storageKey: brought.storageKey });
    await database.imports.reopen(brought.importId);
    expect(await forget(brought.importId)).toEqual([]);
    const removed: string[] = [];
    await database.referredFiles.removeOfFailed(brought.importId, brought.storageKey, async () => {
      removed.push(brought.storageKey);
    });
    expect(removed).toEqual([]);
    expect(await attachmentsOf(brought.importId)).toEqual([brought.storageKey]);
  });

  it('is recorded at once, without a wait for the storage', async () => {
    const { importId } = await importThatBrings('10008');
    const records = createImportRecords({
      database,
      storage: { remove: () => new Promise(() => {}) },
      webhooks: { rules: { hosts: [] } },
    } as unknown as ImportDependencies);
    const failure = { importId, reason: 'entry is damaged', type: 'InvalidPackage' };
    const recorded = new MockActivityEnvironment().run(() => records.failImport(failure));
    expect(await recorded).toEqual({ webhooks: [] });
  });

  it('waits for a product that is being recorded with a reference', async () => {
    const brought = await importThatBrings('10003');
    const id = await productThatRefers(await newImport(database), {
      attachmentId: randomUUID(),
      submitterId: '99999',
    });
    let failing: Promise<string[]> | undefined;
    await orm.em.fork().transactional(async (em) => {
      await em.execute(
        `insert into submission_attachment (submission_id, attachment_id, step, attachment_row_id)
         select ?, attachment_id, 'design', id from attachment where zip_import_id = ?`,
        [id, brought.importId],
      );
      failing = failAndForget(brought.importId);
      await someWaitForALock(opened.url);
    });
    expect(await failing).toEqual([]);
    expect((await sentFor(id)).attachments).toEqual([brought.storageKey]);
  });
});

describe('two packages that bring the same attachment and submitter', () => {
  it('each use their own files, and later packages those of the later one, also if it was read first', async () => {
    const [earlier, later] = [await newImport(database), await newImport(database)];
    const attachmentId = randomUUID();
    for (const [importId, name] of [
      [later, 'later'],
      [earlier, 'earlier'],
    ] as const) {
      const attachment = newAttachment({ attachmentId, fileName: name, storageKey: `attachments/${name}` });
      await database.referredFiles.recordAttachment(importId, attachment, async () => {});
      await database.referredFiles.recordSubmitter(importId, {
        tenant: TENANT,
        submitterId: '10007',
        entryPath: 'root/export/submitters/10007.xml',
        details: { name },
      });
    }
    const usedBy = async (importId: number | null) => {
      const of = { tenant: TENANT, importId };
      const attachments = await database.referredFiles.latestAttachments([attachmentId], of);
      const submitters = await database.referredFiles.latestSubmitters(['10007'], of);
      return [attachments.get(attachmentId)?.fileName, submitters.get('10007')?.details];
    };
    expect(await usedBy(earlier)).toEqual(['earlier', { name: 'earlier' }]);
    expect(await usedBy(later)).toEqual(['later', { name: 'later' }]);
    expect(await usedBy(await newImport(database))).toEqual(['later', { name: 'later' }]);
    expect(await usedBy(null)).toEqual(['later', { name: 'later' }]);
  });
});

describe('a version of an attachment', () => {
  it('is kept while it is that of the latest package, also if an earlier package was read later', async () => {
    const [earlier, later] = [await newImport(database), await newImport(database)];
    const attachmentId = randomUUID();
    for (const importId of [later, earlier]) {
      const attachment = newAttachment({ attachmentId, storageKey: `attachments/of-${importId}` });
      await database.referredFiles.recordAttachment(importId, attachment, async () => {});
      const id = await productThatRefers(importId, { attachmentId, submitterId: '99999' });
      await sql(`update submission set status = 'regulator_inserted' where id = ?`, [id]);
      await database.imports.complete(importId, 'completed', 'test');
    }
    await sql(`update attachment set created_at = now() - interval '5 days' where attachment_id = ?`, [
      attachmentId,
    ]);
    const keys = [earlier, later].map((importId) => `attachments/of-${importId}`);
    expect(await database.retention.recordedAttachments(keys, new Date(Date.now() + DAY_MS))).toEqual(
      new Map([
        [`attachments/of-${earlier}`, false],
        [`attachments/of-${later}`, true],
      ]),
    );
  });

  it('is kept while the only newer one belongs to an import that may still fail', async () => {
    const first = await importThatBrings('10004');
    // A product was inserted with it: it is kept only because it is the newest.
    const id = await productThatRefers(first.importId, first);
    await sql(`update submission set status = 'regulator_inserted' where id = ?`, [id]);
    await database.imports.complete(first.importId, 'completed', 'test');
    const second = await newImport(database);
    await sql(
      `insert into attachment (tenant, attachment_id, zip_import_id, entry_path, file_name, content_type, confidential,
         size_bytes, sha256, storage_key, created_at)
       select tenant, attachment_id, ?, entry_path, file_name, content_type, confidential, size_bytes, sha256, 'newer',
         created_at from attachment where zip_import_id = ?`,
      [second, first.importId],
    );
    await sql(`update attachment set created_at = now() - interval '5 days' where attachment_id = ?`, [
      first.attachmentId,
    ]);
    const needed = () =>
      database.retention.recordedAttachments([first.storageKey], new Date(Date.now() + DAY_MS));
    expect(await needed()).toEqual(new Map([[first.storageKey, true]]));
    await sql(`update zip_import set status = 'completed', completed_at = now() where id = ?`, [second]);
    expect(await needed()).toEqual(new Map([[first.storageKey, false]]));
  });
});

describe('attachments and submitters of a tenant', () => {
  it('are unknown to another tenant', async () => {
    const { attachmentId, submitterId } = await importThatBrings('10006');
    const { latestAttachments, latestSubmitters } = database.referredFiles;
    const known = async (tenant: string) => [
      (await latestAttachments([attachmentId], { tenant, importId: null })).size,
      (await latestSubmitters([submitterId], { tenant, importId: null })).size,
    ];
    expect(await known(TENANT)).toEqual([1, 1]);
    expect(await known('another')).toEqual([0, 0]);
  });
});

describe('the database', () => {
  it('refuses to remove an attachment with references', async () => {
    const brought = await importThatBrings('10005');
    await productThatRefers(await newImport(database), brought);
    const remove = (table: string) => sql(`delete from ${table} where zip_import_id = ?`, [brought.importId]);
    await expect(remove('attachment')).rejects.toThrow(/foreign key/);
    await expect(remove('submitter')).rejects.toThrow(/foreign key/);
  });
});
