/** Records of retried imports: the submissions that can be retried, exactly once, and the results. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImportRetryRow } from '../../src/database/entities/import-retry.ts';
import type { Database } from '../../src/database/index.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import { presentRetry } from '../../src/gateway/presenters/import-retry.ts';
import { createdFile, newImport, openTestDatabase, reportOf } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

let database: Database;
beforeAll(async () => {
  ({ database } = await openTestDatabase());
});
afterAll(() => database.close());

const ALL = { submitters: null };
const ACTOR = 'client:client';

/** An import of products, all refused or never queued; its submissions in archive order. */
async function importOf(productIds: string[]): Promise<{ importId: number; ids: number[] }> {
  const importId = await newImport(database);
  await database.extraction.record(
    importId,
    null,
    productIds.map((productId, index) => createdFile(productId, index)),
  );
  const { submissions } = await reportOf(database, importId);
  return { importId, ids: submissions.map(({ id }) => id) };
}

const begin = (importId: number, submitters: readonly string[] | null = null) =>
  database.importRetries.begin({ importId, clientId: 'client', submitters });
const resultsOf = (importId: number, submitters: readonly string[] | null = null) =>
  database.importRetries.results({ importId, submitters }, { after: 0, limit: 100 });

it('requests at the same time make one retry, which has each submission once', async () => {
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

it('has neither what a newer submission supersedes nor products of others', async () => {
  const [old, foreign, own] = [newProductId(), `11111${newProductId().slice(5)}`, newProductId()];
  const { importId } = await importOf([old, foreign, own]);
  const newer = await importOf([old]);
  await database.queue.recordResults(newer.importId, [queued(newer.ids[0] ?? 0, randomUUID())], ACTOR);
  const retry = await begin(importId, [own.slice(0, 5)]);
  const taken = await database.importRetries.take(retry?.uuid ?? '', 10);
  expect(taken.map(({ productId }) => productId)).toEqual([own]);
});

it('shows results in archive order, and to each client those of its submitters', async () => {
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
  expect((await resultsOf(importId, [own.slice(0, 5)])).map(({ submissionId }) => submissionId)).toEqual([
    first,
  ]);
  expect(await database.importRetries.counts({ importId, ...ALL })).toEqual({
    queued: 1,
    failed: 1,
    pending: 0,
  });
  expect(await database.importRetries.counts({ importId, submitters: ['11111'] })).toMatchObject({
    queued: 0,
  });
});

it('ends with the cancellation of its import: what is left has that reason, and nothing more is taken', async () => {
  const { importId, ids } = await importOf([newProductId(), newProductId()]);
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

it('that has ended is replaced by the next, so that a submission has one row', async () => {
  const { importId } = await importOf([newProductId()]);
  const first = await begin(importId);
  await database.importRetries.end(first?.uuid ?? '');
  const second = await begin(importId);
  expect(second?.uuid).not.toBe(first?.uuid);
  expect(await database.importRetries.counts({ importId, ...ALL })).toEqual({
    queued: 0,
    failed: 0,
    pending: 1,
  });
  expect(await database.importRetries.open(first?.uuid ?? '')).toBeNull();
});

it('whose results are all there is not joined any more, although its end is not recorded yet', async () => {
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

it('tells who has asked: a person, where it was one', async () => {
  const { importId } = await importOf([newProductId()]);
  const request = { importId, clientId: 'client', actor: 'person:operator', ...ALL };
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
