/** Which run keeps an insert from being started: its own of before, or another of the product, and how far that is. */
import { expect, it } from 'vitest';
import type { InsertWorkflowRun } from '../../src/temporal/insert-workflows.ts';
import { createLookAtRunInTheWay, type WorkingSubmissions } from '../../src/temporal/run-in-the-way.ts';

type Working = Awaited<ReturnType<WorkingSubmissions['findByJobId']>>;

const submissionId = 7;
const run = { runId: 'run', running: true, succeeded: false, submissionId: 8 };

function look(current: InsertWorkflowRun | null, working: Working = null) {
  const submissions = { findByJobId: async (runId: string) => (runId === current?.runId ? working : null) };
  const lookAtRunInTheWay = createLookAtRunInTheWay({ current: async () => current }, submissions);
  return lookAtRunInTheWay({ submissionId, productId: '12345-26-00001' });
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
  expect(await look({ ...run, submissionId: null }, { id: submissionId })).toEqual(own);
  expect(await look({ ...run, submissionId: null }, { id: 8 })).toEqual({ ...own, kind: 'other' });
});
