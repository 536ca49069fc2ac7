/** Failures over all imports: counted among a bounded number of products. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { notStarted, queued } from '../../src/domain/queue.ts';
import { createdFile, newImport, openTestDatabase, reportOf } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';

const { database, url } = await openTestDatabase();
const SCAN_LIMIT = 3;

/** An import of products; its submissions in archive order. */
async function importOf(productIds: readonly string[]): Promise<{ importId: number; ids: number[] }> {
  const importId = await newImport(database);
  await database.reading.record(
    importId,
    null,
    productIds.map((productId, index) => createdFile(productId, index)),
  );
  const { submissions } = await reportOf(database, importId);
  return { importId, ids: submissions.map(({ id }) => id) };
}

it('a cancelled import with many products does not hide the failures of newer imports', async () => {
  const products = Array.from({ length: SCAN_LIMIT + 2 }, newProductId);
  const cancelled = await importOf(products);
  const reason = 'The import was cancelled.';
  await database.queue.recordResults(
    cancelled.importId,
    cancelled.ids.map((id) => notStarted(id, reason)),
    'test',
  );
  await database.imports.complete(cancelled.importId, 'cancelled', 'test');
  const again = await importOf(products);
  await database.queue.recordResults(
    again.importId,
    again.ids.map((id) => queued(id, randomUUID())),
    'test',
  );
  await runSql(
    url,
    `update submission set status = 'regulator_inserted' where zip_import_id = ${again.importId}`,
  );

  const { importId, ids } = await importOf([newProductId()]);
  const [id = 0] = ids;
  const runId = randomUUID();
  await database.queue.recordResults(importId, [queued(id, runId)], 'test');
  await database.imports.markQueued(importId);
  await database.insertRuns.fail(id, runId, [plainReason('rejected')], 'test', {
    code: 'regulator_rejected',
  });

  for (const owner of [{}, { tenant: 'client' }])
    expect(await database.failures.groups({ owner, filter: {} }, SCAN_LIMIT)).toMatchObject({
      products: 1,
      groups: [{ reason_code: 'regulator_rejected' }],
    });
});
