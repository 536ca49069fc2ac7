/** Which run keeps an insert from being started: its own of before, or another of the product, and how far that is. */
import { expect, it } from 'vitest';
import type { InsertStep } from '../../src/domain/steps.ts';
import type { InsertWorkflowRun } from '../../src/temporal/insert-workflows.ts';
import { createLookAtRunsInTheWay } from '../../src/temporal/run-in-the-way.ts';

type Working = { id: number; currentStep: InsertStep | null };

const submissionId = 7;
const run = { runId: 'run', running: true, succeeded: false, submissionId: 8 };

async function look(current: InsertWorkflowRun | null, working: Working | null = null) {
  const known = new Map(working && current ? [[current.runId, working]] : []);
  const lookAtRunsInTheWay = createLookAtRunsInTheWay(
    { current: async () => current },
    { findByJobIds: async (runIds) => new Map([...known].filter(([runId]) => runIds.includes(runId))) },
  );
  return (await lookAtRunsInTheWay([{ submissionId, productId: '12345-26-00001' }]))[0];
}

it('is none when the last run of the product has ended, or is forgotten', async () => {
  expect(await look(null)).toEqual({ submissionId, kind: 'closed' });
  expect(await look({ ...run, running: false })).toEqual({ submissionId, kind: 'closed' });
});

it('waits before its first step and is active from then on', async () => {
  const other = { submissionId, kind: 'other', runId: 'run' };
  expect(await look(run)).toEqual({ ...other, jobState: 'waiting' });
  expect(await look(run, { id: 8, currentStep: null })).toEqual({ ...other, jobState: 'waiting' });
  expect(await look(run, { id: 8, currentStep: 'design' })).toEqual({ ...other, jobState: 'active' });
});

it('is the own one when it works on the same submission, by its memo or, without one, by the database', async () => {
  const own = { submissionId, kind: 'own', runId: 'run', jobState: 'waiting' };
  expect(await look({ ...run, submissionId })).toEqual(own);
  const withoutMemo = { ...run, submissionId: null };
  expect(await look(withoutMemo, { id: submissionId, currentStep: null })).toEqual(own);
  expect(await look(withoutMemo, { id: 8, currentStep: null })).toEqual({ ...own, kind: 'other' });
});

it('of two hundred inserts is looked up in one question', async () => {
  const inserts = Array.from({ length: 200 }, (_, n) => ({ submissionId: n, productId: `${n}` }));
  const questions: number[] = [];
  const lookAtRunsInTheWay = createLookAtRunsInTheWay(
    {
      current: async (productId) =>
        productId === '3'
          ? null
          : { runId: `run ${productId}`, running: true, succeeded: false, submissionId: 1000 },
    },
    {
      findByJobIds: async (runIds) => {
        questions.push(runIds.length);
        return new Map([['run 5', { id: 1000, currentStep: 'design' as const }]]);
      },
    },
  );
  const found = await lookAtRunsInTheWay(inserts);
  expect(questions).toEqual([199]);
  expect(found.map((one) => one.submissionId)).toEqual(inserts.map((one) => one.submissionId));
  expect(found[3]).toEqual({ submissionId: 3, kind: 'closed' });
  expect(found[4]).toMatchObject({ kind: 'other', runId: 'run 4', jobState: 'waiting' });
  expect(found[5]).toMatchObject({ kind: 'other', runId: 'run 5', jobState: 'active' });
});
