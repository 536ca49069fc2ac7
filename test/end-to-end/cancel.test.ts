/** Cancels an import over the API: running inserts end, inserted products stay, one mail names the person. */
import { describe, expect, it } from 'vitest';
import type { ImportResult, ImportSummary } from '../../src/contract/types.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { BATCH_SIZE } from '../../src/domain/package-import.ts';
import { ignoreNotFound } from '../../src/temporal/connection.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { eventually } from '../support/eventually.ts';
import { holdQueueResults } from '../support/hold-queue-results.ts';
import { newProductId, packageOf } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { reconcileNow, resetRun, seemServed } from '../support/temporal.ts';
import { call, finished, upload } from '../support/upload.ts';

type Created = ImportResult['submissions'][number];

const BY = `client:${DEMO_CLIENT.clientId}`;
const RECIPIENT = 'person@company.example';

// Some products of an import are inserted while others wait.
const stack = await startStack({ env: { REGULATOR_CONCURRENCY: '2' } });
const { imports } = stack;

const cancel = (id: number) =>
  call<ImportSummary>(stack, 'POST', `/regulator/package-imports/${id}/actions/cancel`);

const products = (count: number) => Array.from({ length: count }, () => ({ productId: newProductId() }));

const zipWith = (count: number) => packageOf(...products(count));

async function actionsInTrail(importId: number, action: string): Promise<string[]> {
  const rows = await stack.sql<{ actor: string }>(
    `select actor from audit_event where import_id = ${importId} and action = '${action}'`,
  );
  return rows.map(({ actor }) => actor);
}

/** Asserts that every product has ended: inserted in one case, or failed with the reason and the person. */
async function expectCancelled(importId: number) {
  const state = await finished(stack, importId);
  expect(state.status).toBe('cancelled');
  expect(state.cancellation?.requested_by).toBe(BY);
  const reasons = state.submissions.map(({ id, product_id, status, failure_reason }) => {
    if (status === 'regulator_inserted') return `${imports.casesOf(product_id).length} case`;
    if (status === 'regulator_insert_failed') return failure_reason;
    return state.queue.results.find(({ submission_id }) => submission_id === id)?.message;
  });
  const expected = [
    '1 case',
    `The insert was cancelled with its import, by ${BY}.`,
    `The regulator-insert task could not be started: the import was cancelled by ${BY}.`,
  ];
  expect(reasons.filter((reason) => !expected.includes(reason ?? ''))).toEqual([]);
  const [summary, ...others] = await eventually(async () => {
    const mails = await imports.summariesOf(importId);
    return mails.length > 0 && mails;
  });
  expect(others).toEqual([]);
  expect(summary?.text).toMatch(new RegExp(`^Note: +The import was cancelled by ${BY}\\.$`, 'm'));
  expect(await actionsInTrail(importId, 'import.cancel_requested')).toEqual([BY]);
  expect(await actionsInTrail(importId, 'import.cancelled')).toHaveLength(1);
  return state;
}

describe('an import is cancelled', () => {
  it('while it inserts: inserted ones stay, the others end, and a second request changes nothing', async () => {
    stack.simulator.simulation.behaviour.latency_ms = 100;
    const { id } = await imports.importProducts(products(12));
    const summary = async () =>
      (await call<ImportSummary>(stack, 'GET', `/regulator/package-imports/${id}?view=summary`)).body.data;
    await eventually(async () => (await summary()).progress.regulator_inserted > 0);
    imports.takeRegulatorAway();
    expect((await summary()).actions).toContain('cancel');
    const answers = await Promise.all([cancel(id), cancel(id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(answers[0]?.body.data.cancellation?.requested_by).toBe(BY);
    const { progress, actions } = await expectCancelled(id);
    expect(progress.regulator_inserted).toBeGreaterThan(0);
    expect(progress.regulator_insert_failed).toBeGreaterThan(0);
    expect(progress.regulator_inserting).toBe(0);
    expect(actions).toEqual(['regulator-insert']);
    const again = await cancel(id);
    expect(again).toMatchObject({ status: 202, body: { message: `Package import ${id} is cancelled.` } });
    expect(await actionsInTrail(id, 'import.cancel_requested')).toEqual([BY]);
  });

  it.each([
    ['one by one', 3],
    ['in batches', BATCH_SIZE + 10],
  ])(
    'while its products are queued %s: the upload is told, and so is its repetition',
    async (_how, count) => {
      imports.takeRegulatorAway();
      const zip = await zipWith(count);
      const options = { email: RECIPIENT, headers: { 'Idempotency-Key': `cancelled-${count}` } };
      const release = await holdQueueResults(stack);
      const answer = upload(stack, zip, options);
      const id = await eventually(async () => {
        const [row] = await stack.sql<{ id: number; product: string }>(
          `select i.id, s.product_id as product from zip_import i join submission s on s.zip_import_id = i.id
            where i.status = 'extracting' order by s.id limit 1`,
        );
        const run = row && (await imports.insert(row.product).describe().catch(ignoreNotFound));
        return run && row.id;
      });
      expect((await cancel(id)).status).toBe(202);
      await release();
      const { status, body } = await answer;
      expect({ status, data: body.data }).toMatchObject({
        status: 500,
        data: { code: 'import_cancelled', id },
      });
      const { progress } = await expectCancelled(id);
      expect(progress.regulator_inserting).toBe(0);
      const again = await upload(stack, zip, options);
      expect({ status: again.status, body: again.body }).toEqual({ status, body });
    },
  );

  it('that has an insert of a retry of one product and an insert that was reset: both end with it', async () => {
    imports.takeRegulatorAway();
    const { id, submissions } = await imports.importProducts(products(2));
    const [retried, reset] = submissions as [Created, Created];
    await imports.insert(retried.product_id).terminate('by accident');
    await imports.reached(retried.id, 'regulator_insert_failed');
    expect((await imports.run(retried.id)).status).toBe(202);
    const runId = await resetRun(stack, insertWorkflowId(reset.product_id));
    await eventually(async () => (await imports.submission(reset.id)).job_id === runId);
    expect((await cancel(id)).status).toBe(202);
    expect((await expectCancelled(id)).progress.regulator_insert_failed).toBe(2);
  });

  it('before a worker has started it: nothing is read', async () => {
    const startWorkers = await stack.pauseWorkers();
    await seemServed(stack);
    const answer = upload(stack, await zipWith(3), { email: RECIPIENT });
    const [row] = await eventually(async () => {
      const rows = await stack.sql<{ id: number }>(`select id from zip_import where status = 'extracting'`);
      return rows.length > 0 && rows;
    });
    const id = row?.id ?? 0;
    await eventually(async () => {
      const uuid = (await stack.database.imports.find(id))?.uuid ?? '';
      return imports
        .parent(uuid)
        .describe()
        .catch(() => null);
    });
    const accepted = await cancel(id);
    expect(accepted).toMatchObject({ status: 202, body: { data: { status: 'extracting', actions: [] } } });
    await startWorkers();
    expect((await expectCancelled(id)).submissions).toEqual([]);
    expect(await answer).toMatchObject({ status: 500, body: { data: { code: 'import_cancelled', id } } });
  });

  it('while its worker is killed: the next worker ends it', async () => {
    const startWorkers = await stack.pauseWorkers();
    const worker = await stack.startProcess('worker');
    imports.takeRegulatorAway();
    const { id } = await imports.importProducts(products(2));
    await worker.kill();
    expect((await cancel(id)).status).toBe(202);
    await startWorkers();
    const { progress } = await expectCancelled(id);
    expect(progress.regulator_insert_failed).toBe(2);
  });

  it('by a gateway that crashes before Temporal knows, or without its workflow: the reconciler cancels it', async () => {
    imports.takeRegulatorAway();
    const first = await imports.importOne();
    const second = await imports.importOne();
    await stack.database.imports.requestCancel(first.importId, BY);
    await imports.parent(second.importUuid).terminate('by accident');
    expect((await cancel(second.importId)).status).toBe(202);
    for (const { importId } of [first, second]) {
      await eventually(async () => {
        await reconcileNow(stack);
        return (await stack.database.imports.find(importId))?.completedAt;
      });
      await expectCancelled(importId);
    }
  });
});
