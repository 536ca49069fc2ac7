/**
 * The stored ZIP of an import is lost. An import whose package was read continues without it, and any other fails once
 * (decision §the-reconciler).
 */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { newProductId, packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { reconcileNow, seemServed } from '../support/temporal.ts';
import { finished, upload } from '../support/upload.ts';

const stack = await startStack({ withoutWorkers: true });
const { imports } = stack;

const recordOf = (id: number) => stack.database.imports.find(id);

async function loseZip(id: number): Promise<void> {
  await rm((await recordOf(id))?.zipFilePath ?? '');
}

async function resumptions(importId: number): Promise<number> {
  const [row] = await stack.sql<{ n: number }>(
    `select count(*)::int as n from audit_event where import_id = ${importId} and action = 'import.resumed'`,
  );
  return row?.n ?? 0;
}

describe('an import without its ZIP', () => {
  it.each([
    ['was being queued', "status = 'extracting', queued_at = null"],
    ['was being inserted', "status = 'inserting'"],
  ])('whose workflow was lost while it %s is resumed once, and keeps its products', async (_when, state) => {
    await stack.startWorkers();
    const { id, submissions } = await imports.importProducts([
      { productId: newProductId() },
      { productId: newProductId() },
    ]);
    await finished(stack, id);
    await stack.sql(`update zip_import set ${state}, completed_at = null where id = ${id}`);
    await loseZip(id);
    await eventually(async () => {
      await reconcileNow(stack);
      return (await recordOf(id))?.completedAt;
    });
    const after = await finished(stack, id);
    expect(after.status).toBe('completed');
    expect(after.submissions.map((one) => [one.id, one.status])).toEqual(
      submissions.map((one) => [one.id, 'regulator_inserted']),
    );
    expect(await resumptions(id)).toBe(1);
  });

  it('that was not read yet fails, and its request may be sent again under the same key', async () => {
    await seemServed(stack);
    const zip = await packageOf({});
    const send = () => upload(stack, zip, { headers: { 'Idempotency-Key': 'lost' } });
    const answer = send();
    const { id } = await eventually(
      async () =>
        (await stack.sql<{ id: number }>("select id from zip_import where status = 'extracting'"))[0],
    );
    await loseZip(id);
    await stack.startWorkers();
    const { status, body } = await answer;
    expect({ status, data: body.data }).toMatchObject({ status: 500, data: { code: 'import_failed', id } });
    expect(body.message).toMatch(/^The archive storage has no file at /);
    expect(await recordOf(id)).toMatchObject({ status: 'failed', failureCode: 'import_failed' });
    const again = await send();
    expect(again.status).toBe(200);
    expect(again.body.data.id).not.toBe(id);
    await finished(stack, again.body.data.id);
    expect(await resumptions(id)).toBe(0);
  });
});
