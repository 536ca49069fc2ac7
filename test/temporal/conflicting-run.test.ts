/**
 * The run that blocks the start of an insert: an earlier run of the same submission, or another run of the
 * product, and its state.
 */
import { describe, expect, it } from 'vitest';
import type { SubmissionStatus } from '../../src/contract/statuses.ts';
import type { InsertStep } from '../../src/contract/steps.ts';
import type { InsertWorkflowRun } from '../../src/temporal/insert-workflows.ts';
import { createFindConflictingRuns } from '../../src/temporal/start-insert.ts';

type Working = { id: number; status: SubmissionStatus; currentStep: InsertStep | null };

const status = 'regulator_inserting';

const submissionId = 7;
const run = { runId: 'run', running: true, succeeded: false, submissionId: 8 };

const nobodyWaits = () => Promise.reject(new Error('nobody waits for this run'));

async function look(current: InsertWorkflowRun | null, working: Working | null = null) {
  const known = new Map(working && current ? [[current.runId, working]] : []);
  const findConflictingRuns = createFindConflictingRuns(
    { current: async () => current, untilClosed: nobodyWaits },
    { findByJobIds: async (runIds) => new Map([...known].filter(([runId]) => runIds.includes(runId))) },
  );
  return (await findConflictingRuns([{ submissionId, productId: '12345-26-00001' }]))[0];
}

it('is null when the last run of the product has ended, or is unknown', async () => {
  expect(await look(null)).toEqual({ submissionId, kind: 'closed' });
  expect(await look({ ...run, running: false })).toEqual({ submissionId, kind: 'closed' });
});

it('is waiting before its first step and active after it', async () => {
  const other = { submissionId, kind: 'other', runId: 'run' };
  expect(await look(run)).toEqual({ ...other, jobState: 'waiting' });
  expect(await look(run, { id: 8, status, currentStep: null })).toEqual({ ...other, jobState: 'waiting' });
  expect(await look(run, { id: 8, status, currentStep: 'design' })).toEqual({ ...other, jobState: 'active' });
});

it('the conflicting run is the own run if its memo or the database names the submission', async () => {
  const own = { submissionId, kind: 'own', runId: 'run', jobState: 'waiting' };
  expect(await look({ ...run, submissionId })).toEqual(own);
  const withoutMemo = { ...run, submissionId: null };
  expect(await look(withoutMemo, { id: submissionId, status, currentStep: null })).toEqual(own);
  expect(await look(withoutMemo, { id: 8, status, currentStep: null })).toEqual({ ...own, kind: 'other' });
});

it('of two hundred inserts is looked up with one query', async () => {
  const inserts = Array.from({ length: 200 }, (_, n) => ({ submissionId: n, productId: `${n}` }));
  const questions: number[] = [];
  const findConflictingRuns = createFindConflictingRuns(
    {
      current: async (productId) =>
        productId === '3'
          ? null
          : { runId: `run ${productId}`, running: true, succeeded: false, submissionId: 1000 },
      untilClosed: nobodyWaits,
    },
    {
      findByJobIds: async (runIds) => {
        questions.push(runIds.length);
        return new Map([['run 5', { id: 1000, status, currentStep: 'design' as const }]]);
      },
    },
  );
  const found = await findConflictingRuns(inserts);
  expect(questions).toEqual([199]);
  expect(found.map((one) => one.submissionId)).toEqual(inserts.map((one) => one.submissionId));
  expect(found[3]).toEqual({ submissionId: 3, kind: 'closed' });
  expect(found[4]).toMatchObject({ kind: 'other', runId: 'run 4', jobState: 'waiting' });
  expect(found[5]).toMatchObject({ kind: 'other', runId: 'run 5', jobState: 'active' });
});

describe('a run whose end is recorded', () => {
  const productIds = ['12345-26-00001', '12345-26-00002', '12345-26-00003'];
  const inserts = productIds.map((productId, n) => ({ submissionId: n, productId }));

  /** Looks up a run of each product, all of another submission; runs that close do so during the wait. */
  async function lookWith(ends: readonly SubmissionStatus[], { closing }: { closing: boolean }) {
    const closed = new Set<string>();
    const waitedFor: string[] = [];
    const findConflictingRuns = createFindConflictingRuns(
      {
        current: async (productId) => ({ ...run, runId: productId, running: !closed.has(productId) }),
        async untilClosed(productId, runId, deadline) {
          expect(runId).toBe(productId);
          expect(deadline - Date.now()).toBeLessThanOrEqual(5_000);
          waitedFor.push(productId);
          if (closing) closed.add(productId);
        },
      },
      {
        findByJobIds: async (runIds) =>
          new Map(
            ends
              .map((end, n) => [productIds[n] ?? '', { id: 8, status: end, currentStep: null }] as const)
              .filter(([runId]) => runIds.includes(runId)),
          ),
      },
    );
    return { found: await findConflictingRuns(inserts), waitedFor };
  }

  it('is awaited until it has closed, inserted or failed; other runs are not', async () => {
    const ends = ['regulator_inserted', 'regulator_inserting', 'regulator_insert_failed'] as const;
    const { found, waitedFor } = await lookWith(ends, { closing: true });
    expect(waitedFor).toEqual([productIds[0], productIds[2]]);
    expect(found.map(({ submissionId, kind }) => [submissionId, kind])).toEqual([
      [0, 'closed'],
      [1, 'other'],
      [2, 'closed'],
    ]);
  });

  it('conflicts when it has not closed by then', async () => {
    const { found } = await lookWith(['regulator_insert_failed'], { closing: false });
    expect(found[0]).toMatchObject({ kind: 'other', runId: productIds[0] });
  });
});
