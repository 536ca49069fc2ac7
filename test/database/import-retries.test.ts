/** Records of retried imports: the submissions that can be retried, exactly once, and the results. */
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createFailuresRun } from '../../activities/failures-run.ts';
import { createRetryProducts } from '../../activities/retry-products.ts';
import { plainReason } from '../../src/contract/reasons.ts';
import { INSERT_PROCESS } from '../../src/contract/statuses.ts';
import { type ImportRetryRow, RetryResult } from '../../src/database/entities/queue-result.ts';
import { beginRetry } from '../../src/database/repositories/begin-retry.ts';
import type { FailuresRunInput } from '../../src/domain/failures-run.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import { presentRetry } from '../../src/gateway/routes/import-actions.ts';
import {
  createdFile,
  newImport,
  openOrm,
  openTestDatabase,
  reportOf,
  someWaitForALock,
} from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

const { database, url } = await openTestDatabase();

const ACTOR = 'client:client';

/** An import of products, all refused or never queued; its submissions in archive order. */
async function importOf(productIds: string[]): Promise<{ importId: number; ids: number[] }> {
  const importId = await newImport(database);
  await database.reading.record(
    importId,
    null,
    productIds.map((productId, index) => createdFile(productId, index)),
  );
  await database.imports.markQueued(importId);
  const { submissions } = await reportOf(database, importId);
  return { importId, ids: submissions.map(({ id }) => id) };
}

/** The same with another product that is being inserted, so that the import can be cancelled. */
async function insertingImportOf(productIds: string[]): Promise<{ importId: number; ids: number[] }> {
  const { importId, ids } = await importOf([...productIds, newProductId()]);
  await database.queue.recordResults(importId, [queued(ids.at(-1) ?? 0, randomUUID())], ACTOR);
  return { importId, ids: ids.slice(0, -1) };
}

const begin = (importId: number) =>
  database.importRetries.begin({ importId, clientId: 'client', actor: ACTOR });
const resultsOf = (importId: number) => database.importRetries.results(importId, { after: 0, limit: 100 });

it('concurrent requests make one retry, with each submission once', async () => {
  const { importId, ids } = await importOf([newProductId(), newProductId()]);
  const retries = await Promise.all([begin(importId), begin(importId), begin(importId)]);
  expect(new Set(retries.map((retry) => retry?.uuid)).size).toBe(1);
  const uuid = retries[0]?.uuid ?? '';
  expect((await database.importRetries.take(uuid, 10)).map((one) => [one.submissionId, one.tried])).toEqual(
    ids.map((id) => [id, false]),
  );
  // The process that took them is gone: they count as tried.
  expect((await database.importRetries.take(uuid, 1)).map((one) => [one.submissionId, one.tried])).toEqual([
    [ids[0], true],
  ]);
});

it('superseded submissions are left out', async () => {
  const [old, other] = [newProductId(), newProductId()];
  const { importId } = await importOf([old, other]);
  const newer = await importOf([old]);
  await database.queue.recordResults(newer.importId, [queued(newer.ids[0] ?? 0, randomUUID())], ACTOR);
  const retry = await begin(importId);
  const taken = await database.importRetries.take(retry?.uuid ?? '', 10);
  expect(taken.map(({ productId }) => productId)).toEqual([other]);
});

it('results are in archive order', async () => {
  const foreign = `11111${newProductId().slice(5)}`;
  const own = newProductId();
  const { importId, ids } = await importOf([own, foreign]);
  const uuid = (await begin(importId))?.uuid ?? '';
  const [first = 0, second = 0] = ids;
  await database.importRetries.recordResults(uuid, [
    alreadyQueued(second, randomUUID(), 'active'),
    queued(first, randomUUID()),
  ]);
  expect((await resultsOf(importId)).map((one) => [one.submissionId, one.productId, one.status])).toEqual([
    [first, own, 202],
    [second, foreign, 409],
  ]);
  expect(await database.importRetries.counts(importId)).toEqual({
    queued: 1,
    failed: 1,
    pending: 0,
  });
});

it('a page after a submission of another import does not tell where that lies', async () => {
  const { importId, ids } = await importOf([newProductId(), newProductId()]);
  const other = await importOf([newProductId()]);
  const uuid = (await begin(importId))?.uuid ?? '';
  await database.importRetries.recordResults(
    uuid,
    ids.map((id) => queued(id, randomUUID())),
  );
  const after = other.ids[0] ?? 0;
  expect(await database.importRetries.results(importId, { after, limit: 9 })).toHaveLength(2);
});

it('a client that follows the pages of a running retry misses no result', async () => {
  const { importId, ids } = await importOf([newProductId(), newProductId(), newProductId()]);
  const uuid = (await begin(importId))?.uuid ?? '';
  await database.importRetries.take(uuid, 10);
  const [first = 0, second = 0, third = 0] = ids;
  await database.importRetries.recordResults(uuid, [
    queued(first, randomUUID()),
    queued(third, randomUUID()),
  ]);
  const page = await resultsOf(importId);
  expect(page.map(({ submissionId }) => submissionId)).toEqual([first]);
  await database.importRetries.recordResults(uuid, [queued(second, randomUUID())]);
  const next = await database.importRetries.results(importId, { after: first, limit: 100 });
  expect(next.map(({ submissionId }) => submissionId)).toEqual([second, third]);
});

it('the cancellation of the import ends the retry, and the rest gets that reason', async () => {
  const { importId, ids } = await insertingImportOf([newProductId(), newProductId()]);
  const uuid = (await begin(importId))?.uuid ?? '';
  await database.importRetries.recordResults(uuid, [queued(ids[0] ?? 0, randomUUID())]);
  expect(await database.imports.requestCancel(importId, ACTOR)).toBe(true);
  expect(await database.imports.requestCancel(importId, 'client:later')).toBe(true);
  expect((await database.imports.find(importId))?.cancelledBy).toBe(ACTOR);
  expect(await database.importRetries.take(uuid, 10)).toEqual([]);
  expect(await database.importRetries.open(uuid)).toBeNull();
  expect((await resultsOf(importId)).map(({ status, message }) => [status, message.split(': ')[1]])).toEqual([
    [202, undefined],
    [503, 'the import was cancelled by client:client.'],
  ]);
  await database.imports.complete(importId, 'cancelled', ACTOR);
  expect(await database.imports.requestCancel(importId, ACTOR)).toBe(false);
});

it('a retry is refused once the cancellation of its import is recorded, and permitted again after the end', async () => {
  const { importId, ids } = await insertingImportOf([newProductId()]);
  await database.imports.requestCancel(importId, ACTOR);
  await expect(begin(importId)).rejects.toMatchObject({
    code: 'action_not_available',
    importId,
    message: expect.stringMatching(/: it is being cancelled\.$/),
  });
  expect(await database.importRetries.last(importId)).toBeNull();
  await database.imports.complete(importId, 'cancelled', ACTOR);
  const retry = await begin(importId);
  expect((await database.importRetries.take(retry?.uuid ?? '', 10)).map((one) => one.submissionId)).toEqual(
    ids,
  );
});

it('of a retry and a cancellation at the same time one wins: no retry stays open', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { importId } = await insertingImportOf([newProductId()]);
    const [begun] = await Promise.allSettled([
      begin(importId),
      database.imports.requestCancel(importId, ACTOR),
    ]);
    const retry = await database.importRetries.last(importId);
    expect(retry !== null).toBe(begun.status === 'fulfilled');
    expect(retry?.endedAt).not.toBeNull();
  }
});

it('an import of which nothing is under way cannot be cancelled, and can be retried', async () => {
  const { importId } = await importOf([newProductId()]);
  expect(await database.imports.requestCancel(importId, ACTOR)).toBe(false);
  expect(await begin(importId)).not.toBeNull();
});

it('the next retry replaces one that has ended, so that a submission has one row', async () => {
  const { importId } = await importOf([newProductId()]);
  const first = await begin(importId);
  await database.importRetries.end(first?.uuid ?? '');
  const second = await begin(importId);
  expect(second?.uuid).not.toBe(first?.uuid);
  expect(await database.importRetries.counts(importId)).toEqual({
    queued: 0,
    failed: 0,
    pending: 1,
  });
  expect(await database.importRetries.open(first?.uuid ?? '')).toBeNull();
});

it('a retry with all results is not joined, even before its end is recorded', async () => {
  const { importId, ids } = await importOf([newProductId(), newProductId()]);
  const first = await begin(importId);
  const [one = 0, other = 0] = ids;
  const refused = (id: number) => alreadyQueued(id, randomUUID(), 'active');
  await database.importRetries.recordResults(first?.uuid ?? '', [refused(one)]);
  expect((await begin(importId))?.uuid).toBe(first?.uuid);
  await database.importRetries.recordResults(first?.uuid ?? '', [refused(other)]);
  const second = await begin(importId);
  expect(second?.uuid).not.toBe(first?.uuid);
  const taken = await database.importRetries.take(second?.uuid ?? '', 10);
  expect(taken.map(({ submissionId }) => submissionId)).toEqual(ids);
});

it('a retry that is given up while the next one begins changes nothing', async () => {
  const { importId, ids } = await importOf([newProductId()]);
  const first = await begin(importId);
  const uuid = first?.uuid ?? '';
  await database.importRetries.recordResults(uuid, [alreadyQueued(ids[0] ?? 0, randomUUID(), 'active')]);
  const orm = await openOrm(url);
  const given = await orm.em.fork().transactional(async (em) => {
    const second = await beginRetry(em, { importId, clientId: 'client', actor: ACTOR });
    expect(second?.uuid).not.toBe(uuid);
    const done = database.importRetries.giveUp(uuid, 'Cancelled.', ACTOR);
    await someWaitForALock(url);
    return { done };
  });
  await given.done;
  expect((await database.importRetries.last(importId))?.endedAt).toBeNull();
  const { events } = await database.auditTrail.list({ importId }, { limit: 100 });
  expect(events.map(({ action }) => action)).not.toContain('import.retry_given_up');
});

it('a retry can be given up while results of many products are recorded', async () => {
  const { importId, ids } = await importOf([newProductId(), newProductId()]);
  const uuid = (await begin(importId))?.uuid ?? '';
  const [first = 0, second = 0] = ids;
  const orm = await openOrm(url);
  const both = await orm.em.fork().transactional(async (em) => {
    await em.find(RetryResult, { submission: second }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    const recorded = database.importRetries.recordResults(uuid, [
      queued(second, randomUUID()),
      queued(first, randomUUID()),
    ]);
    await someWaitForALock(url);
    const givenUp = database.importRetries.giveUp(uuid, 'Cancelled.', ACTOR);
    await someWaitForALock(url, 2);
    return { done: Promise.all([recorded, givenUp]) };
  });
  await both.done;
  expect((await resultsOf(importId)).map(({ status }) => status)).toEqual([202, 202]);
});

it('a product that another request has started, and that waits for its first step, is told as waiting', async () => {
  const { importId, ids } = await importOf([newProductId()]);
  const [id = 0] = ids;
  const retryUuid = (await begin(importId))?.uuid ?? '';
  const runId = randomUUID();
  await database.insertRuns.recordStart(id, runId, 'client:other');
  const retryProducts = createRetryProducts({
    database,
    startInsert: async () => alreadyQueued(id, runId, 'waiting'),
  } as unknown as ImportDependencies);
  await new MockActivityEnvironment().run(retryProducts, { importId, retryUuid });
  expect(await resultsOf(importId)).toMatchObject([{ status: 409, jobId: runId, jobState: 'waiting' }]);
});

it('a retry names the person or client who requested it', async () => {
  const { importId } = await importOf([newProductId()]);
  const request = { importId, clientId: 'client', actor: 'person:operator' };
  const asked = await database.importRetries.begin(request);
  expect(asked?.requestedBy).toBe('person:operator');
  expect((await database.importRetries.last(importId))?.requestedBy).toBe('person:operator');
  const presented = presentRetry(
    {
      retry: asked as ImportRetryRow,
      counts: { queued: 0, failed: 0, pending: 1 },
      results: [],
      comment: null,
    },
    { limit: 1, after: 0 },
  );
  expect(presented.requested_by).toBe('person:operator');
});

it('a stopped run over failures begins no retry, and a repeated attempt finds the one that it has begun', async () => {
  const failed = async () => {
    const { importId, ids } = await importOf([newProductId()]);
    const [id = 0] = ids;
    const runId = randomUUID();
    await database.queue.recordResults(importId, [queued(id, runId)], ACTOR);
    await database.insertRuns.fail(id, runId, [plainReason('rejected')], ACTOR);
    return { importId, id };
  };
  const first = await failed();
  await failed();
  const started: string[] = [];
  const { actOnNextImport } = createFailuresRun({
    database,
    importWorkflows: { retry: async ({ uuid }: { uuid: string }) => started.push(uuid) },
  } as unknown as ImportDependencies);
  const input: FailuresRunInput = {
    action: INSERT_PROCESS,
    owner: {},
    filter: {},
    clientId: 'client',
    actor: ACTOR,
  };
  const uuid: string = randomUUID();
  const act = (environment = new MockActivityEnvironment()) =>
    environment.run(actOnNextImport, input, first.importId - 1, uuid);
  const stopped = new MockActivityEnvironment();
  stopped.cancel();
  await expect(act(stopped)).rejects.toThrow('CANCELLED');
  expect(await database.importRetries.find(uuid)).toBeNull();
  const ours = { importId: first.importId, cancelled: 0, retry: { retryUuid: uuid, isOurs: true } };
  expect(await act()).toEqual(ours);
  // Its insert runs: the import no longer matches.
  await database.insertRuns.begin(first.id, randomUUID(), ACTOR);
  expect(await act()).toEqual(ours);
  expect(started).toEqual([uuid, uuid]);
  await database.importRetries.end(uuid);
  expect(await act()).toEqual(ours);
  expect(started).toHaveLength(2);
});
