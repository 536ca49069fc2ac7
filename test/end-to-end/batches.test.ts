/** Batches of a large import that are ended too early (architecture §resets-are-normal). */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { packageImportBatchWorkflowId, packageImportWorkflowId } from '../../src/domain/ids.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { eventually } from '../support/eventually.ts';
import { importsOf } from '../support/imports.ts';
import { newProductId } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';

const PRODUCTS = BATCH_SIZE + 1;
const PATIENCE_MS = 150_000;

vi.setConfig({ testTimeout: 300_000 });

let stack: TestStack;
let imports: ReturnType<typeof importsOf>;
beforeAll(async () => {
  stack = await startTestStack();
  imports = importsOf(stack);
});
afterAll(() => stack?.stop());
afterEach(() => imports.restoreRegulator());

const importMany = () =>
  imports.importProducts(Array.from({ length: PRODUCTS }, () => ({ productId: newProductId() })));

const batchOf = (uuid: string, number: number) =>
  stack.temporal.workflow.getHandle(packageImportBatchWorkflowId(packageImportWorkflowId(uuid), number));

const ended = (importId: number) =>
  eventually(async () => (await stack.database.imports.find(importId))?.completedAt, PATIENCE_MS);

async function statusesOf(importId: number): Promise<Record<string, number>> {
  const rows = await stack.sql<{ status: string; n: number }>(
    `select status, count(*)::int as n from submission where zip_import_id = ${importId} group by status`,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

describe('a batch', () => {
  it('that is terminated while it queues is started again: the upload is answered in full', async () => {
    await stack.sql(
      `create function hold_results() returns trigger language plpgsql as $$ begin raise 'held by the test'; end $$`,
    );
    await stack.sql(
      'create trigger hold_results before insert on queue_result for each row execute function hold_results()',
    );
    const answer = importMany();
    const uuid = await eventually(async () => {
      const [row] = await stack.sql<{ uuid: string }>(
        `select uuid from zip_import where exists
           (select from submission where zip_import_id = zip_import.id and status = 'regulator_inserted')`,
      );
      return row?.uuid;
    }, PATIENCE_MS);
    await batchOf(uuid, 1).terminate('by accident');
    await stack.sql('drop trigger hold_results on queue_result');
    const { id, queue } = await answer;
    expect(queue.queued_count).toBe(PRODUCTS);
    await ended(id);
    expect(await statusesOf(id)).toEqual({ regulator_inserted: PRODUCTS });
    expect(await imports.summariesOf(id)).toHaveLength(1);
  });
});
