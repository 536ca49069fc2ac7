/** The start of an insert for a retry, when runs of the product conflict and end again. */
import { expect, it } from 'vitest';
import type { ConflictingRun } from '../../src/domain/queue.ts';
import { createStartInsert } from '../../src/temporal/start-insert.ts';

const insert = { importId: 1, submissionId: 7, productId: '12345-26-00001' };

/** @param startsAt number of the start that succeeds */
async function start(
  startsAt: number,
  conflictingRun: ConflictingRun = { submissionId: 7, kind: 'closed' },
  tried = false,
) {
  let starts = 0;
  const expected: string[] = [];
  const startInsert = createStartInsert(
    {
      async start() {
        starts += 1;
        return starts === startsAt ? { runId: 'new run' } : null;
      },
    },
    async () => [conflictingRun],
    { recordStart: async (_submissionId, runId) => void expected.push(runId) },
  );
  const { status, jobId } = await startInsert(insert, 'client:a', tried);
  return { status, jobId, starts, expected };
}

it('a start is tried five times, if the conflicting run has ended each time', async () => {
  expect(await start(5)).toEqual({ status: 202, jobId: 'new run', starts: 5, expected: ['new run'] });
  expect(await start(6)).toEqual({ status: 503, jobId: null, starts: 5, expected: [] });
});

it('a start is refused at once while another run continues', async () => {
  const other: ConflictingRun = { submissionId: 7, kind: 'other', runId: 'other run', jobState: 'active' };
  expect(await start(2, other)).toEqual({ status: 409, jobId: 'other run', starts: 1, expected: [] });
});

it('a start finds the run that an earlier attempt started without a record', async () => {
  const own: ConflictingRun = { submissionId: 7, kind: 'own', runId: 'own run', jobState: 'waiting' };
  expect(await start(2, own, true)).toEqual({
    status: 202,
    jobId: 'own run',
    starts: 1,
    expected: ['own run'],
  });
  expect(await start(2, own)).toMatchObject({ status: 409, jobId: 'own run' });
});
