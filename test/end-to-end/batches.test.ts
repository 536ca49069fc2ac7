/** Batches of a large import that are ended too early (decision §resets-are-normal). */
import { describe, expect, it, vi } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import {
  insertWorkflowId,
  packageImportBatchWorkflowId,
  packageImportWorkflowId,
} from '../../src/domain/ids.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { eventually } from '../support/eventually.ts';
import { holdQueueResults } from '../support/hold-queue-results.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { reconcileNow, resetRun } from '../support/temporal.ts';

const PRODUCTS = BATCH_SIZE + 1;
const MAX_WAIT_MS = 150_000;

vi.setConfig({ testTimeout: 300_000 });

const stack = await startStack();
const { imports } = stack;

const importMany = (first = newProductId()) =>
  imports.importProducts(
    Array.from({ length: PRODUCTS }, (_, index) => ({ productId: index === 0 ? first : newProductId() })),
  );

const batchOf = (uuid: string, number: number) =>
  stack.temporal.workflow.getHandle(packageImportBatchWorkflowId(packageImportWorkflowId(uuid), number));

const ended = (importId: number) =>
  eventually(async () => (await stack.database.imports.find(importId))?.completedAt, MAX_WAIT_MS);

async function statusesOf(importId: number): Promise<Record<string, number>> {
  const rows = await stack.sql<{ status: string; n: number }>(
    `select status, count(*)::int as n from submission where zip_import_id = ${importId} group by status`,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

const statusOf = (uuid: string, number: number) =>
  batchOf(uuid, number)
    .describe()
    .then(
      ({ runId, status }) => ({ runId, status: status.name }),
      () => ({ runId: '', status: 'NONE' }),
    );

describe('a batch', () => {
  it('of an import that was lost and restarted is cancelled with it, and its inserts too', async () => {
    imports.takeRegulatorAway();
    const { id, submissions } = await importMany();
    const uuid = (await stack.database.imports.find(id))?.uuid ?? '';
    const parent = imports.parent(uuid);
    const first = (await parent.describe()).runId;
    await parent.terminate('by accident');
    await reconcileNow(stack);
    await eventually(async () => {
      const { runId, status } = await parent.describe();
      return runId !== first && status.name === 'RUNNING';
    }, MAX_WAIT_MS);
    // Batch 2 is terminated as well, and an insert of batch 1 is reset: only the import can cancel these inserts.
    await eventually(async () => (await stack.database.queue.progress(id)).unqueued === 0, MAX_WAIT_MS);
    await batchOf(uuid, 2).terminate('by accident');
    const [reset] = submissions;
    const runId = await resetRun(stack, insertWorkflowId(reset?.product_id ?? ''));
    await eventually(async () => (await imports.submission(reset?.id ?? 0)).job_id === runId);
    await parent.cancel();
    await ended(id);
    expect((await stack.database.imports.find(id))?.status).toBe('cancelled');
    expect(await statusesOf(id)).toEqual({ regulator_insert_failed: PRODUCTS });
    expect((await statusOf(uuid, 1)).status).toBe('CANCELLED');
    const reasons = await stack.sql(
      `select distinct failure_reason from submission where zip_import_id = ${id}`,
    );
    expect(reasons).toEqual([{ failure_reason: [plainReason('The insert was cancelled.')] }]);
    expect(await imports.summariesOf(id)).toHaveLength(1);
  });

  it('that ends repeatedly before it has queued its products is given up with the reason', async () => {
    const release = await holdQueueResults(stack);
    imports.takeRegulatorAway();
    const answer = importMany();
    const uuid = await eventually(async () => {
      const [row] = await stack.sql<{ uuid: string }>(
        `select uuid from zip_import where completed_at is null and exists
           (select from submission where zip_import_id = zip_import.id and status = 'regulator_inserting')`,
      );
      return row?.uuid;
    }, MAX_WAIT_MS);
    const ended = new Set<string>();
    while (ended.size < 6) {
      const { runId, status } = await statusOf(uuid, 2);
      if (status !== 'RUNNING' || ended.has(runId)) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      await batchOf(uuid, 2).terminate(`by accident ${ended.size}`);
      ended.add(runId);
    }
    await stack.sql(`update submission set status = 'local', job_id = null where entry_index = ${PRODUCTS - 1}
       and zip_import_id = (select id from zip_import where uuid = '${uuid}')`);
    await release();
    const { id, queue } = await answer;
    imports.restoreRegulator();
    expect(queue.queued_count).toBeGreaterThanOrEqual(PRODUCTS - 1);
    await eventually(async () => (await stack.database.imports.find(id))?.completedAt, MAX_WAIT_MS);
    expect((await statusOf(uuid, 2)).runId).toBe([...ended].at(-1));
    expect(await imports.summariesOf(id)).toHaveLength(1);
  });

  it('that is terminated while it queues is restarted without its rejected products, and the upload is answered completely', async () => {
    const rejected = newProductId();
    imports.reject(rejected, 'init_validate');
    const release = await holdQueueResults(stack);
    const answer = importMany(rejected);
    const uuid = await eventually(async () => {
      const [row] = await stack.sql<{ uuid: string }>(
        `select i.uuid from zip_import i join submission s on s.zip_import_id = i.id
          where s.product_id = '${rejected}' and s.status = 'regulator_insert_failed'`,
      );
      return row?.uuid;
    }, MAX_WAIT_MS);
    imports.restoreRegulator();
    await batchOf(uuid, 1).terminate('by accident');
    await release();
    const { id, queue } = await answer;
    expect(queue.queued_count).toBe(PRODUCTS);
    await ended(id);
    expect(await statusesOf(id)).toEqual({ regulator_inserted: PRODUCTS - 1, regulator_insert_failed: 1 });
    expect(await imports.summariesOf(id)).toHaveLength(1);
  });
});
