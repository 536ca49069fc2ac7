/**
 * A failure message identifies its import: the record, the run and the package can be found. Where the stored ZIP is
 * lost, an import whose package was read continues without it, and any other fails once (decision §the-reconciler).
 */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { eventually, succeeds } from '../support/eventually.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { reconcileNow, seemServed } from '../support/temporal.ts';
import { type Answer, call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack({ withoutWorkers: true });
await seemServed(stack);
const { imports } = stack;

/** An upload that waits for a worker, and its run. */
async function waitingUpload(entries: Record<string, string>, key: string) {
  const zip = await zipOf(entries);
  const send = () => upload(stack, zip, { headers: { 'Idempotency-Key': key } });
  const before = await newestImport();
  const answer = send();
  const record = await eventually(async () => {
    const newest = await newestImport();
    return newest && newest.id !== before?.id ? newest : null;
  });
  const run = stack.temporal.workflow.getHandle(packageImportWorkflowId(record.uuid));
  await eventually(() => succeeds(run.describe()));
  return { id: record.id, run, answer, again: send };
}

async function newestImport() {
  const [newest] = await stack.sql<{ id: number; uuid: string }>(
    'select id, uuid from zip_import order by id desc limit 1',
  );
  return newest;
}

const product = () => ({ [productPath('a')]: productXml() });
const failure = ({ status, body }: Answer<unknown>) => ({ status, data: body.data });

describe('the answer to a package', () => {
  it('that is cancelled, unreadable or lost its run names the import, also when repeated', async () => {
    const cancelled = await waitingUpload(product(), 'cancelled');
    const unreadable = await waitingUpload({ 'root/readme.txt': 'no export here' }, 'unreadable');
    const terminated = await waitingUpload(product(), 'terminated');
    await cancelled.run.cancel();
    await terminated.run.terminate('on purpose');
    await stack.startWorkers();
    const expected = [
      { import: cancelled, status: 500, code: 'import_cancelled' },
      { import: unreadable, status: 500, code: 'invalid_package' },
      { import: terminated, status: 500, code: 'outcome_unknown' },
    ];
    for (const { import: one, status, code } of expected) {
      expect(failure(await one.answer)).toMatchObject({ status, data: { code, id: one.id } });
    }
    for (const one of [cancelled, unreadable]) {
      const [first, again] = [await one.answer, await one.again()];
      expect({ status: again.status, body: again.body }).toEqual({ status: first.status, body: first.body });
    }
    const found = await call(stack, 'GET', `/regulator/package-imports/${unreadable.id}`);
    expect(found.body.data).toMatchObject({
      id: unreadable.id,
      status: 'failed',
      failure_code: 'invalid_package',
    });
  });
});

const recordOf = (id: number) => stack.database.imports.find(id);

async function loseZip(id: number): Promise<void> {
  await rm((await recordOf(id))?.zipFilePath ?? '');
}

async function resumptions(importId: number): Promise<number> {
  return stack.count(`audit_event where import_id = ${importId} and action = 'import.resumed'`);
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
    const { id, answer, again: send } = await waitingUpload(product(), 'lost');
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
