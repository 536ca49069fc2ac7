/** The submissions that an import and its retry start, whatever was lost before. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createImportRecords } from '../../activities/import-records.ts';
import { createRetryProducts } from '../../activities/retry-products.ts';
import type { BatchItem } from '../../src/database/repositories/queue.ts';
import { NotFound } from '../../src/domain/client-errors.ts';
import type { InsertToStart } from '../../src/domain/insert-start.ts';
import { type QueueResult, queued } from '../../src/domain/queue.ts';

const ITEMS: Omit<BatchItem, 'productId'>[] = [
  { submissionId: 1, status: 'local', hasResult: false, jobId: null },
  { submissionId: 2, status: 'local', hasResult: true, jobId: null },
  { submissionId: 3, status: 'regulator_inserting', hasResult: true, jobId: 'run 3' },
  { submissionId: 4, status: 'regulator_insert_failed', hasResult: true, jobId: 'run 4' },
  { submissionId: 5, status: 'regulator_inserted', hasResult: true, jobId: 'run 5' },
  { submissionId: 6, status: 'regulator_inserted', hasResult: false, jobId: 'run 6' },
];

/** Plans the batch. Returns the submissions to start, and the recorded results. */
async function plan(retryFailed: boolean) {
  const recorded: QueueResult[] = [];
  const queue = {
    batch: async () => ITEMS.map((item) => ({ ...item, productId: `product ${item.submissionId}` })),
    recordResults: async (_importId: number, results: QueueResult[]) => void recorded.push(...results),
  };
  const { planInserts } = createImportRecords({ database: { queue } } as unknown as ImportDependencies);
  const started: InsertToStart[] = await new MockActivityEnvironment().run<
    [Parameters<typeof planInserts>[0]],
    InsertToStart[],
    typeof planInserts
  >(planInserts, { importId: 7, batch: 1, retryFailed });
  return { ids: started.map(({ submissionId }) => submissionId), recorded };
}

describe('the plan of a batch', () => {
  it('holds what has no result, what is under way and what failed, and not what was refused', async () => {
    expect((await plan(true)).ids).toEqual([1, 3, 4]);
  });

  it('leaves failed products alone when nobody asked for a retry', async () => {
    expect((await plan(false)).ids).toEqual([1, 3]);
  });

  it('records the result of an insert that ended before it had one', async () => {
    expect((await plan(true)).recorded).toEqual([queued(6, 'run 6')]);
  });
});

const TRIES = 10;

/** Runs a try over two products, of which the first cannot be started. */
async function tryProducts(attempt: number, fault: Error) {
  const recorded: QueueResult[] = [];
  const page = [1, 2].map((submissionId) => ({
    submissionId,
    productId: `product ${submissionId}`,
    status: 'local',
    jobId: null,
    tried: false,
  }));
  const dependencies = {
    database: {
      importRetries: {
        open: async () => ({ clientId: 'client' }),
        counts: async () => ({ queued: 0, failed: 0, pending: page.length - recorded.length }),
        take: async () => page,
        recordResults: async (_uuid: string, results: QueueResult[]) => void recorded.push(...results),
        end: async () => {},
      },
    },
    startInsert: async ({ submissionId }: { submissionId: number }) => {
      if (submissionId === 1) throw fault;
      return queued(submissionId, 'run');
    },
  } as unknown as ImportDependencies;
  const retryProducts = createRetryProducts(dependencies);
  const environment = new MockActivityEnvironment({ attempt });
  const failure = await environment
    .run(() => retryProducts({ importId: 7, retryUuid: 'uuid' }))
    .then(
      () => null,
      (error: Error) => error.message,
    );
  return { failure, statuses: recorded.map(({ submissionId, status }) => [submissionId, status]) };
}

describe('a product that cannot be started', () => {
  const fault = new Error('Temporal is away');

  it('fails the try before the last, and the others are recorded', async () => {
    expect(await tryProducts(TRIES - 1, fault)).toEqual({
      failure: 'Temporal is away',
      statuses: [[2, 202]],
    });
  });

  it('is given up at the tenth try, with a result of its own', async () => {
    const statuses = [
      [1, 503],
      [2, 202],
    ];
    expect(await tryProducts(TRIES, fault)).toEqual({ failure: null, statuses });
  });

  it('is given up at once where another try cannot help', async () => {
    expect(await tryProducts(1, new NotFound('Submission', 1))).toMatchObject({ failure: null });
  });
});
