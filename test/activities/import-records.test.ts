/** The submissions of a batch that an import starts, at its first run and after a reset or a loss of its run. */
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createImportRecords } from '../../activities/import-records.ts';
import type { BatchItem } from '../../src/database/repositories/queue.ts';
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
