/** An import is reopened between retention's query and its removal. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplyRetention } from '../../activities/retention.ts';
import { createLocalStorage } from '../../src/archive/local-storage.ts';
import type { ArchiveStorage } from '../../src/archive/storage.ts';
import type { Database } from '../../src/database/index.ts';
import { createdFile, newImport, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/services/servers.ts';
import { temporaryRoot } from '../support/temporary.ts';

let database: Database;
let url: string;
let directory: string;
let storage: ArchiveStorage;
beforeAll(async () => {
  ({ database, url } = await openTestDatabase());
  directory = await mkdtemp(join(temporaryRoot(), 'package-import-races-'));
  storage = createLocalStorage(directory);
});
afterAll(async () => {
  await database.close();
  await rm(directory, { recursive: true, force: true });
});

/** An old package that could not be read, with the records of an earlier release. */
async function failedLongAgo(): Promise<{ importId: number; storageKey: string }> {
  const importId = await newImport(database);
  const { storageKey = '' } = (await database.imports.find(importId)) ?? {};
  await storage.put(storageKey, Readable.from([Buffer.from('zip')]));
  await database.extraction.record(importId, null, [createdFile(newProductId())]);
  await runSql(
    url,
    `update zip_import set status = 'failed', completed_at = now(), uploaded_at = now() - interval '400 days' where id = ${importId}`,
  );
  return { importId, storageKey };
}

/** Runs retention. @param meanwhile runs after the query for expired imports and before any removal */
function applyRetention(meanwhile: () => Promise<void>) {
  const retention = {
    ...database.retention,
    async expiredImports(...args: Parameters<typeof database.retention.expiredImports>) {
      const expired = await database.retention.expiredImports(...args);
      await meanwhile();
      return expired;
    },
  };
  const apply = createApplyRetention({
    database: { ...database, retention },
    storage,
    retentionDays: 90,
    failedRetentionDays: 7,
  });
  return new MockActivityEnvironment().run(apply);
}

const rawXmls = async (importId: number) => {
  const [row] = await runSql<{ n: number }>(
    url,
    `select count(raw_xml)::int as n from submission where zip_import_id = ${importId}`,
  );
  return row?.n;
};

describe('an import that has expired', () => {
  it('loses its package and its raw XML', async () => {
    const { importId, storageKey } = await failedLongAgo();
    expect(await applyRetention(async () => {})).toMatchObject({ packages: 1 });
    expect(await storage.has(storageKey)).toBe(false);
    expect(await rawXmls(importId)).toBe(0);
    expect((await database.imports.find(importId))?.archiveRemovedAt).not.toBeNull();
  });

  it('keeps both where it is read again meanwhile', async () => {
    const { importId, storageKey } = await failedLongAgo();
    expect(await applyRetention(() => database.imports.reopen(importId))).toMatchObject({ packages: 0 });
    expect(await storage.has(storageKey)).toBe(true);
    expect(await rawXmls(importId)).toBe(1);
    expect(await database.imports.find(importId)).toMatchObject({
      status: 'extracting',
      archiveRemovedAt: null,
    });
  });

  it('keeps both where a product of it is inserted again meanwhile', async () => {
    const { importId, storageKey } = await failedLongAgo();
    const again = async () => {
      await runSql(
        url,
        `update submission set status = 'regulator_inserting' where zip_import_id = ${importId}`,
      );
    };
    expect(await applyRetention(again)).toMatchObject({ packages: 0 });
    expect(await storage.has(storageKey)).toBe(true);
    expect(await rawXmls(importId)).toBe(1);
  });

  it('is not reopened when its package has gone', async () => {
    const { importId } = await failedLongAgo();
    await applyRetention(async () => {});
    await database.imports.reopen(importId);
    expect((await database.imports.find(importId))?.status).toBe('failed');
  });
});
