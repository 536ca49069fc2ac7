/** Failed products over all imports: in groups, retried or cancelled by one run that can be stopped. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { FailureFilter } from '../../src/contract/failures.ts';
import type { Failures, FailuresRun } from '../../src/contract/types.ts';
import { failuresRunWorkflowId } from '../../src/domain/ids.ts';
import { DEMO_CLIENT, OTHER_COMPANY } from '../../src/trial-parts/identity-service/identity-service.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { tokenOf } from '../support/tokens.ts';
import { call, finished, report } from '../support/upload.ts';

type Requested = Failures & { run: FailuresRun | null; code?: string };

const stack = await startStack();
const { imports } = stack;
const BY = `client:${DEMO_CLIENT.clientId}`;

const failures = async (query = '', token?: string) =>
  (await call<Failures>(stack, 'GET', `/regulator/failures${query}`, { token })).body.data;
const act = (action: string, query = '', token?: string) =>
  call<Requested>(stack, 'POST', `/regulator/failures/actions/${action}${query}`, { token });
const lastRun = async (token?: string) => {
  const { body } = await call<{ run: FailuresRun | null }>(stack, 'GET', '/regulator/failures/run', {
    token,
  });
  return body.data.run;
};
const ended = (token?: string) =>
  eventually(async () => {
    const run = await lastRun(token);
    return run && run.status !== 'running' && run;
  });
const stop = () => call<{ run: FailuresRun | null }>(stack, 'POST', '/regulator/failures/run/actions/stop');

async function failing(step: 'design' | 'init_validate', count = 1) {
  const products = Array.from({ length: count }, () => ({ productId: newProductId() }));
  stack.simulator.simulation.behaviour.reject = products.map(({ productId }) => ({
    product_id: productId,
    step,
    message: `No ${step}`,
  }));
  const { id } = await imports.importProducts(products);
  await finished(stack, id);
  imports.restoreRegulator();
  return { id, products };
}

const allInserted = (id: number) =>
  eventually(async () => {
    const { progress, submissions } = await report(stack, id);
    return progress.regulator_inserted === submissions.length;
  });

const retriesOf = (ids: number[]) =>
  stack.sql<{ id: number }>(
    `select zip_import_id as id from import_retry where zip_import_id in (${ids.join()})`,
  );

beforeEach(async () => {
  await stack.sql(`update submission set status = 'regulator_inserted' where status <> 'regulator_inserted'`);
});

describe('failures', () => {
  it('are counted by reason and step, for their owner and by filter', async () => {
    const since = new Date().toISOString();
    const design = await failing('design', 2);
    const opening = await failing('init_validate');
    await failing('design');
    const found = await failures();
    expect(found).toMatchObject({ products: 4, imports: 3, complete: true });
    expect(found.groups).toMatchObject([
      { reason_code: 'regulator_rejected', step: 'design', products: 3, imports: 2 },
      { reason_code: 'regulator_rejected', step: 'init_validate', products: 1, imports: 1 },
    ]);
    expect(found.groups[1]?.example).toMatchObject({
      product_id: opening.products[0]?.productId,
      package_import_id: opening.id,
      reason: expect.stringContaining('No init_validate'),
    });
    expect(found.groups[0]?.action).toMatch(/^Correct the products/);
    expect(Date.parse(found.groups[0]?.first_failed_at ?? '')).toBeGreaterThan(Date.parse(since) - 1);
    expect(await failures('?group=regulator_rejected:init_validate')).toMatchObject({
      products: 1,
      imports: 1,
    });
    expect(await failures('?group=:design')).toMatchObject({ products: 3, imports: 2 });
    expect(await failures('?group=cancelled:,run_lost:')).toMatchObject({ products: 0, groups: [] });
    expect(await failures('?submitter_id=99962')).toMatchObject({ products: 4 });
    expect(await failures('?submitter_id=11111')).toMatchObject({ products: 0 });
    expect(await failures(`?failed_since=${since}`)).toMatchObject({ products: 4 });
    expect(await failures('?failed_since=9998-01-01')).toMatchObject({ products: 0 });
    expect(await failures(`?client_id=${OTHER_COMPANY.clientId}`)).toMatchObject({ products: 0 });
    expect((await call(stack, 'GET', '/regulator/failures?group=design')).status).toBe(400);
    expect(await failures('', await stack.token(OTHER_COMPANY))).toMatchObject({ products: 0, groups: [] });
    expect(await stack.database.failures.groups({ owner: {}, filter: {} }, 2)).toMatchObject({
      complete: false,
    });
    // A newer submission of the product supersedes the failed one.
    await imports.importProducts(design.products.map((one) => ({ ...one, brand: 'Changed' })));
    expect((await failures('?group=:design')).products).toBe(1);
  });

  it('have the code run_lost after a termination, and not_queued behind another insert', async () => {
    imports.takeRegulatorAway();
    const { submissionId, productId } = await imports.importOne();
    await imports.reached(submissionId, 'regulator_inserting');
    const { importId } = await imports.importOne({ productId, brand: 'Changed' });
    await finished(stack, importId);
    expect(await failures()).toMatchObject({
      groups: [{ reason_code: 'not_queued', products: 1, example: { reason: expect.any(String) } }],
    });
    await imports.insert(productId).terminate();
    await imports.reached(submissionId, 'regulator_insert_failed');
    expect(await failures('?group=run_lost:')).toMatchObject({ groups: [{ products: 1 }] });
  });
});

describe('a run', () => {
  it('retries what matches, in every import, after a preview that starts nothing; one at a time', async () => {
    const first = await failing('design', 2);
    const second = await failing('design');
    const other = await failing('init_validate');
    const group = '?group=regulator_rejected:design';
    const preview = await act('regulator-insert', `${group}&dry_run=true`);
    expect(preview).toMatchObject({
      status: 200,
      body: { message: '3 products in 2 imports.', data: { products: 3, imports: 2, run: null } },
    });
    expect(await retriesOf([first.id, second.id])).toEqual([]);

    const started = await act('regulator-insert', group);
    expect(started).toMatchObject({ status: 202, body: { data: { run: { requested_by: BY, imports: 2 } } } });
    expect(await act('regulator-insert', '?group=:init_validate')).toMatchObject({
      status: 409,
      body: { data: { code: 'action_not_available' } },
    });
    expect(await ended()).toMatchObject({ status: 'completed', done_imports: 2, done_products: 3 });
    await allInserted(first.id);
    await allInserted(second.id);
    expect(await retriesOf([first.id, second.id, other.id])).toEqual([{ id: first.id }, { id: second.id }]);
    expect(await failures()).toMatchObject({ groups: [{ step: 'init_validate', products: 1 }] });
    expect(await act('regulator-insert', group)).toMatchObject({
      status: 200,
      body: { data: { run: null } },
    });
    const trail = await stack.sql<{ action: string; actor: string }>(
      `select action, actor from audit_event where action like 'failures.%_requested'
          or (action = 'import.retry_requested' and import_id in (${first.id}, ${second.id})) order by id`,
    );
    expect(trail).toEqual([
      { action: 'failures.regulator-insert_requested', actor: BY },
      { action: 'import.retry_requested', actor: BY },
      { action: 'import.retry_requested', actor: BY },
    ]);
  });

  it('of a client reaches its own products only, and needs the permission for each action', async () => {
    const { id } = await failing('design');
    const token = await stack.token(OTHER_COMPANY);
    expect(await act('regulator-insert', '', token)).toMatchObject({
      status: 200,
      body: { data: { products: 0 } },
    });
    expect(await lastRun(token)).toBeNull();
    const runner = await tokenOf(stack, 'runner', ['submissions-tool.submission.run']);
    expect((await act('cancel', '', runner)).status).toBe(403);
    expect((await act('regulator-insert', `?client_id=${DEMO_CLIENT.clientId}`, token)).status).toBe(403);
    const own = await tokenOf(stack, DEMO_CLIENT.clientId);
    expect((await act('regulator-insert', '', own)).status).toBe(202);
    expect(await ended(own)).toMatchObject({ status: 'completed', done_products: 1 });
    await allInserted(id);
  });

  it('is stopped between two imports: the others stay as they are', async () => {
    const all = [await failing('design'), await failing('design'), await failing('design')];
    const continueWork = await stack.pauseWorkers();
    await act('regulator-insert');
    await stop();
    expect(await lastRun()).toMatchObject({ status: 'running', done_imports: 0 });
    await continueWork();
    expect(await ended()).toMatchObject({ status: 'stopped', done_imports: 0 });
    expect((await stop()).status).toBe(202);
    expect(await retriesOf(all.map(({ id }) => id))).toEqual([]);
    expect(await failures()).toMatchObject({ products: 3 });
  });

  it('that is stopped gives up the open retry', async () => {
    const { id } = await failing('design', 3);
    const release = await holdRetries();
    await act('regulator-insert');
    await eventually(async () => (await retriesOf([id])).length > 0);
    await stop();
    expect(await ended()).toMatchObject({ status: 'stopped' });
    await release();
    const [retry] = await stack.sql<{ ended: boolean; left: number }>(
      `select t.ended_at is not null as ended, count(*) filter (where r.status = 503)::int as left
         from import_retry t join retry_result r using (zip_import_id) where zip_import_id = ${id} group by 1`,
    );
    expect(retry).toEqual({ ended: true, left: 3 });
  });

  it('that meets a narrower retry of another request waits for it, and retries what it has left', async () => {
    const [first, second] = [newProductId(), newProductId()];
    stack.simulator.simulation.behaviour.reject = [
      { product_id: first, step: 'design', message: 'No design' },
      { product_id: second, step: 'init_validate', message: 'No init_validate' },
    ];
    const { id } = await imports.importProducts([{ productId: first }, { productId: second }]);
    await finished(stack, id);
    imports.restoreRegulator();
    const release = await holdRetries();
    await otherRetryOf(id, { groups: [':design'] });
    await act('regulator-insert');
    await hasActed();
    await release();
    expect(await ended()).toMatchObject({ status: 'completed', done_imports: 1, done_products: 1 });
    await allInserted(id);
  });

  it('that is stopped leaves a retry that the same client had requested before', async () => {
    const { id } = await failing('design', 2);
    const release = await holdRetries();
    await otherRetryOf(id);
    await act('regulator-insert');
    await hasActed();
    await stop();
    expect(await ended()).toMatchObject({ status: 'stopped' });
    await release();
    await allInserted(id);
  });

  it('cancels the imports that are under way, and no others', async () => {
    const over = await failing('design');
    const [rejected, slow] = [newProductId(), newProductId()];
    imports.reject(rejected, 'init_validate');
    stack.simulator.simulation.behaviour.latency_ms = 1_500;
    const { id } = await imports.importProducts([{ productId: rejected }, { productId: slow }]);
    await eventually(async () => (await failures()).products === 2);
    // The other product does not end before its import is cancelled.
    imports.takeRegulatorAway();
    expect(await act('cancel', '?dry_run=true')).toMatchObject({
      body: { data: { products: 1, imports: 1 } },
    });
    expect((await act('cancel')).status).toBe(202);
    expect(await ended()).toMatchObject({ action: 'cancel', status: 'completed', done_imports: 1 });
    const state = await finished(stack, id);
    expect(state).toMatchObject({ status: 'cancelled', cancellation: { requested_by: BY } });
    expect(await failures('?group=cancelled:')).toMatchObject({ products: 1, imports: 1 });
    expect((await report(stack, over.id)).status).toBe('completed');
  });
});

/** Records a retry of the same client that is not of the run. */
const otherRetryOf = (importId: number, only: FailureFilter = {}) =>
  stack.database.importRetries.begin({ importId, clientId: DEMO_CLIENT.clientId, actor: BY, only });

/** Waits until the run has begun or found the retry of its first import. */
const hasActed = () =>
  eventually(async () => {
    const run = stack.temporal.workflow.getHandle(failuresRunWorkflowId(null));
    const { events } = await run.fetchHistory();
    return events?.some(({ activityTaskCompletedEventAttributes }) => activityTaskCompletedEventAttributes);
  });

/** Keeps retries open: no product of theirs can be started. */
async function holdRetries(): Promise<() => Promise<void>> {
  await stack.sql(
    `create or replace function hold_retries() returns trigger language plpgsql as $$ begin raise 'held by the test'; end $$`,
  );
  await stack.sql(
    `create trigger hold_retries before update on retry_result for each row
       when (old.tried_at is null and new.tried_at is not null) execute function hold_retries()`,
  );
  return async () => {
    await stack.sql('drop trigger hold_retries on retry_result');
  };
}
