/** The current service continues the data of the previous release: its records, and its running imports. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ImportSummary } from '../../src/contract/types.ts';
import { migrate } from '../../src/database/migrations.ts';
import { databaseOf, fill, readReleases } from '../database/support/releases.ts';
import { eventually } from '../support/eventually.ts';
import { productXml } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { reconcileNow } from '../support/temporal.ts';
import { call, download, finished, report } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const releases = await readReleases();

describe.each(releases)('the records of $version', (release) => {
  let stack: Stack;
  let imports: Stack['imports'];
  beforeAll(async () => {
    const databaseUrl = await databaseOf(release);
    await fill(databaseUrl, release);
    await migrate(databaseUrl);
    // Our simulator does not know their session.
    await runSql(databaseUrl, 'update regulator_session set expires_at = now()');
    stack = await startStack({ databaseUrl, withoutWorkers: true });
    ({ imports } = stack);
    await storePackage(open());
    await stack.startWorkers();
  });

  const rows = (table: string) => release.rows[table] ?? [];
  const open = () => rows('zip_import').find(({ completed_at }) => completed_at === null) ?? {};

  /** A second reading finds every file recorded. */
  async function storePackage({ id, storage_key }: Record<string, unknown>): Promise<void> {
    const files = rows('submission').filter(({ zip_import_id }) => zip_import_id === id);
    const entries = files.map(({ entry_path }) => [entry_path as string, productXml()]);
    const path = join(fileURLToPath(stack.config.archive.url), storage_key as string);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await zipOf(Object.fromEntries(entries)));
  }

  it('are listed and shown', async () => {
    const { body } = await call<{ imports: ImportSummary[] }>(stack, 'GET', '/regulator/package-imports');
    const ids = rows('zip_import').map(({ id }) => id as number);
    expect(body.data.imports.map(({ id }) => id).sort()).toEqual(ids.sort());
    for (const { id, failure_reason } of rows('zip_import'))
      expect(await report(stack, id as number)).toMatchObject({ id, failure_reason });
    for (const { id } of rows('submission')) {
      const response = await download(stack, `/regulator/submissions/${id}/xml`);
      expect(await response.text()).toContain('<EcigProductSubmission');
    }
  });

  it('include a running import that ends with its mail, and products that can be retried', async () => {
    const { id: importId } = open() as { id: number };
    await reconcileNow(stack);
    // Their runs are unknown here: the running inserts have failed, as after the loss of Temporal's own
    // database.
    const { status, submissions } = await finished(stack, importId);
    expect(status).toBe('completed');
    expect(submissions.map((submission) => submission.status)).toEqual([
      'regulator_insert_failed',
      'regulator_insert_failed',
    ]);
    await eventually(async () => (await imports.summariesOf(importId)).length === 1);
    for (const { id, uuid, product_id } of submissions) {
      expect((await imports.run(id)).status).toBe(202);
      await imports.reached(id, 'regulator_inserted');
      expect(imports.casesOf(product_id)).toMatchObject([{ client_reference: uuid, opened: 1 }]);
    }
  });
});
