/** A failure message identifies its import: the record, the run and the package can be found. */
import { describe, expect, it } from 'vitest';
import { packageImportWorkflowId } from '../../src/domain/ids.ts';
import { eventually } from '../support/eventually.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { seemServed } from '../support/temporal.ts';
import { type Answer, call, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack({ withoutWorkers: true });
await seemServed(stack);

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
  await eventually(() =>
    run.describe().then(
      () => true,
      () => false,
    ),
  );
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
    expect(found.body.data).toMatchObject({ id: unreadable.id, status: 'failed' });
  });
});
