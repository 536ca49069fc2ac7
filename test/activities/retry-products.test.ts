/** A product that cannot be started must not block the others of its retry for ever. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createRetryProducts } from '../../activities/retry-products.ts';
import { NotFound } from '../../src/domain/client-errors.ts';
import { type QueueResult, queued } from '../../src/domain/queue.ts';

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
