/** Retries the failed products of an import with one request, by several clients, and through crashes. */
import { describe, expect, it } from 'vitest';
import type { ImportRetry, ImportSummary } from '../../src/contract/types.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { reconcileNow } from '../support/temporal.ts';
import { call, finished, report } from '../support/upload.ts';

const BY = `client:${DEMO_CLIENT.clientId}`;

const stack = await startStack();
const { imports } = stack;

const path = (id: number) => `/regulator/package-imports/${id}/actions/regulator-insert`;
const retry = (id: number, query = '') => call<ImportRetry>(stack, 'POST', path(id) + query);
const results = (id: number, query = '') => call<ImportRetry>(stack, 'GET', path(id) + query);

const summary = async (id: number) =>
  (await call<ImportSummary>(stack, 'GET', `/regulator/package-imports/${id}?view=summary`)).body.data;

const products = (count: number) => Array.from({ length: count }, () => ({ productId: newProductId() }));

const rejectAll = (all: { productId: string }[]) =>
  imports.reject(
    all.map(({ productId }) => productId),
    'init_validate',
  );

async function importFailing(all: { productId: string }[]): Promise<number> {
  rejectAll(all);
  const { id } = await imports.importProducts(all);
  await finished(stack, id);
  imports.restoreRegulator();
  return id;
}

/** All results of a retry, page by page, as soon as they exist. */
async function allResults(id: number, limit: number) {
  const all: ImportRetry['results'] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { data }: { data: ImportRetry } = (await results(id, `?limit=${limit}&after=${after}`)).body;
    all.push(...data.results);
    after = data.next_after;
  }
  return all;
}

const allInserted = (id: number) =>
  eventually(async () => {
    const state = await report(stack, id);
    return state.progress.regulator_inserted === state.submissions.length && state;
  }, 120_000);

/** Number of starts of an import's submissions after its first end. */
async function startsOf(id: number): Promise<number[]> {
  const rows = await stack.sql<{ n: number }>(
    `select count(*)::int as n from audit_event where import_id = ${id}
        and action = 'submission.regulator_inserting' and detail ->> 'from' in ('regulator_insert_failed', 'local')
        and at > (select requested_at from import_retry where zip_import_id = ${id}) group by submission_id`,
  );
  return rows.map(({ n }) => n);
}

describe('a retry of an import', () => {
  it('of more products than are started at once, some refused with 409, requested by two clients: each product runs once', async () => {
    const all = products(12);
    imports.takeRegulatorAway();
    const first = await imports.importProducts(all.slice(0, 5));
    const { id } = await imports.importProducts(all.map((product) => ({ ...product, brand: 'Changed' })));
    rejectAll(all);
    stack.simulator.simulation.behaviour.unavailable = false;
    const before = await finished(stack, id);
    await finished(stack, first.id);
    imports.restoreRegulator();
    expect(before.progress).toMatchObject({ local: 5, regulator_insert_failed: 7 });
    expect(before.actions).toEqual(['regulator-insert']);

    const answers = await Promise.all([retry(id), retry(id, '?limit=9')]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const [one, other] = answers.map(({ body }) => body.data);
    expect([one?.results.length, other?.results.length]).toEqual([12, 9]);
    expect(one?.requested_at).toBe(other?.requested_at);
    expect(other?.results).toEqual(one?.results.slice(0, 9));
    const told = await allResults(id, 10);
    expect(told.map(({ submission_id }) => submission_id)).toEqual(before.submissions.map((row) => row.id));
    expect(told.filter(({ ok }) => !ok)).toEqual([]);
    const whole = (await results(id)).body.data;
    expect(whole).toMatchObject({ queued_count: 12, failed_count: 0, pending_count: 0, requested_by: BY });

    const after = await allInserted(id);
    expect(after.actions).toEqual([]);
    // The first five also have a start of the first import.
    expect(all.slice(5).filter(({ productId }) => imports.casesOf(productId).length !== 1)).toEqual([]);
    expect(await startsOf(id)).toEqual(all.map(() => 1));
    const trail = await stack.sql<{ actor: string; detail: unknown }>(
      `select actor, detail from audit_event where action = 'import.retry_requested' and import_id = ${id}`,
    );
    expect(trail).toEqual([{ actor: BY, detail: { submissions: 12 } }]);
    expect(await imports.summariesOf(id)).toHaveLength(1);
  });

  it('with a product that another import inserts: 409 for that product, with its run', async () => {
    const [product] = products(1);
    const productId = product?.productId ?? '';
    imports.takeRegulatorAway();
    const first = await imports.importOne({ productId });
    const second = await imports.importOne({ productId, brand: 'Changed' });
    await finished(stack, second.importId);
    const { job_id } = await imports.submission(first.submissionId);
    expect(await summary(second.importId)).toMatchObject({ retried: false });
    const { status, body } = await retry(second.importId);
    expect(status).toBe(202);
    expect(await summary(second.importId)).toMatchObject({ retried: true });
    expect(body.data).toMatchObject({ queued_count: 0, failed_count: 1, next_after: null });
    expect(body.data.results).toMatchObject([
      { status: 409, ok: false, data: { job_id, job_state: 'active' } },
    ]);
    expect((await imports.run(second.submissionId)).body).toMatchObject({
      status: 'error',
      data: { status: 409, code: 'already_queued', data: { job_id } },
    });
  });

  it('is not offered when newer submissions supersede all that failed', async () => {
    const [superseded, failed] = products(2) as [{ productId: string }, { productId: string }];
    const id = await importFailing([superseded, failed]);
    const offered = async () => [await summary(id), await report(stack, id)].map(({ actions }) => actions);
    await imports.importOne({ ...superseded, brand: 'Changed' });
    expect(await offered()).toEqual([['regulator-insert'], ['regulator-insert']]);
    await imports.importOne({ ...failed, brand: 'Changed' });
    expect(await offered()).toEqual([[], []]);
    expect((await retry(id)).body.data).toMatchObject({ results: [], requested_at: null });
  });

  it('during its inserts: the same answer again; afterwards nothing is left to retry', async () => {
    const id = await importFailing(products(2));
    imports.takeRegulatorAway();
    const first = (await retry(id)).body.data;
    expect(first.queued_count).toBe(2);
    const again = (await retry(id)).body.data;
    expect(again.results).toEqual(first.results);
    expect(again.requested_at).toBe(first.requested_at);
    imports.restoreRegulator();
    await allInserted(id);
    const over = await retry(id);
    expect(over.status).toBe(202);
    expect(over.body.data).toMatchObject({ queued_count: 0, results: [], requested_at: null });
    expect((await results(id)).body.data.results).toEqual(first.results);
  });
});

describe('a crash', () => {
  it('of the gateway before Temporal knows: the reconciler starts the retry', async () => {
    const id = await importFailing(products(3));
    const request = { importId: id, clientId: DEMO_CLIENT.clientId, actor: BY };
    await stack.database.importRetries.begin(request);
    await stack.sql(
      `update import_retry set requested_at = now() - interval '1 minute' where ended_at is null`,
    );
    await reconcileNow(stack);
    await allInserted(id);
    expect((await results(id)).body.data).toMatchObject({ queued_count: 3, pending_count: 0 });
  });

  it('of the worker in the middle of it: every product has its result and runs once', async () => {
    const all = products(12);
    const id = await importFailing(all);
    const startWorkers = await stack.pauseWorkers();
    const worker = await stack.startProcess('worker');
    const answer = retry(id);
    await eventually(async () => (await stack.database.importRetries.counts(id)).queued > 0);
    await worker.kill();
    await startWorkers();
    expect((await answer).status).toBe(202);
    await eventually(async () => (await results(id)).body.data.ended_at);
    expect((await allResults(id, 10)).filter(({ status }) => status !== 202)).toEqual([]);
    await allInserted(id);
    expect(all.filter(({ productId }) => imports.casesOf(productId).length !== 1)).toEqual([]);
    expect(await startsOf(id)).toHaveLength(all.length);
  });
});
