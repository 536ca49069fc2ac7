/** Runs that are cancelled during an activity: they end after it, so that nothing else meets its work. */
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { afterAll, describe, expect, it } from 'vitest';
import { heartbeating } from '../../activities/activity-context.ts';
import { mapFailures } from '../../activities/failure-mapping.ts';
import { TimeSliceOver } from '../../activities/reading/with-package.ts';
import type { InsertStep } from '../../src/contract/steps.ts';
import { InvalidPackage, RegulatorUnavailable } from '../../src/domain/client-errors.ts';
import { TASK_QUEUES, type TaskQueue } from '../../src/domain/task-queues.ts';
import { workerSetup } from '../../src/processes/workers/roles.ts';
import { RegulatorRejection } from '../../src/regulator/port.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { createImportWorker, createInsertWorker, createReadingWorker } from '../../src/temporal/workers.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { startStack } from '../support/starters/stack.ts';

interface CancelledRun {
  type: string;
  taskQueue: TaskQueue;
  input: object;
  /** Steps of an insert. The activity under way is the first one. */
  steps?: InsertStep[];
  isLocal?: boolean;
  /** Lets the activity end that is under way. */
  end(work: PromiseWithResolvers<unknown>): void;
}

/** State of the activities of a run. */
interface Running extends Required<Pick<CancelledRun, 'isLocal' | 'steps'>> {
  /** Activities in the order of their beginnings; `ended` when the activity under way has ended. */
  called: string[];
  begun: PromiseWithResolvers<void>;
  noticed: PromiseWithResolvers<void>;
  work: PromiseWithResolvers<unknown>;
}

const running = new Map<string, Running>();

function ofThisRun(): Running {
  const found = running.get(Context.current().info.workflowExecution?.workflowId ?? '');
  if (!found) throw new Error('a run of another test');
  return found;
}

/** Works on after its cancellation, until the test lets it end. */
function stubborn(): Promise<unknown> {
  const { called, begun, noticed, work } = ofThisRun();
  return heartbeating(async (report) => {
    begun.resolve();
    report(null);
    await Context.current().cancelled.catch(() => noticed.resolve());
    return work.promise.finally(() => called.push('ended'));
  });
}

const insertActivities = {
  beginInsert: async () => ({ kind: 'run', steps: ofThisRun().steps }),
  design: async () => {
    if (Context.current().info.isLocal && !ofThisRun().isLocal) throw new RegulatorUnavailable('It is away.');
    return stubborn();
  },
  emission: async () => {
    ofThisRun().called.push('emission');
    return { slow: false };
  },
  finishInsert: async () => ({ caseId: 'CASE-1' }),
  failInsert: async ({ reasons }: { reasons: { text: string }[] }) => {
    ofThisRun().called.push(reasons.map(({ text }) => text).join());
  },
};

const importActivities = {
  completeImport: async ({ cancelled }: { cancelled: boolean }) => {
    ofThisRun().called.push(cancelled ? 'completeImport: cancelled' : 'completeImport');
    return { webhooks: [] };
  },
  failImport: async ({ type }: { type: string }) => {
    ofThisRun().called.push(`failImport: ${type}`);
    return { webhooks: [] };
  },
  forgetPackage: async () => void ofThisRun().called.push('forgetPackage'),
  cancelInserts: async () => {},
  actOnNextImport: (_input: unknown, _after: number, retryUuid: string) => {
    ofThisRun().called.push(retryUuid);
    return stubborn();
  },
  retryProducts: stubborn,
  queuedByRetry: async () => null,
  giveUpRetry: async ({ retryUuid }: { retryUuid: string }) => void ofThisRun().called.push(retryUuid),
  summaryIsDue: async () => false,
};

const stack = await startStack({ withoutWorkers: true });
const connection = await connectWorker(stack.config.temporal);
const setup = await workerSetup(stack.config, connection);
const withActivities = (activities: Parameters<typeof mapFailures>[0]) => ({
  ...setup,
  activities: mapFailures(activities),
});
const workers = await Promise.all([
  createInsertWorker(withActivities(insertActivities), { concurrency: 10 }),
  createImportWorker(withActivities(importActivities)),
  createReadingWorker(withActivities({ extractPackage: stubborn }), { concurrency: 10 }),
]);
const ends = workers.map((worker) => worker.run());
afterAll(async () => {
  for (const worker of workers) worker.shutdown();
  await Promise.all(ends);
  await connection.close();
});

/** Starts a run, and cancels it during its activity. Returns its status before and after the end of that activity. */
async function cancelled({ type, taskQueue, input, isLocal = false, steps = [], end }: CancelledRun) {
  const workflowId = randomUUID();
  const [begun, noticed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run: Running = { isLocal, steps, called: [], begun, noticed, work: Promise.withResolvers() };
  running.set(workflowId, run);
  const handle = await stack.temporal.workflow.start(type, {
    workflowId,
    taskQueue,
    args: [input],
    // A run with a local activity hears of its cancellation within this time. A busy machine repeats a shorter task.
    workflowTaskTimeout: '5 seconds',
  });
  const status = async () => (await handle.describe()).status.name;
  await begun.promise;
  await handle.cancel();
  await noticed.promise;
  const before = await status();
  end(run.work);
  const after = await eventually(async () => {
    const now = await status();
    return now !== 'RUNNING' && now;
  });
  return { before, after, called: run.called };
}

describe.concurrent('an insert with a call to the regulator', () => {
  const insert = {
    type: WORKFLOW_TYPES.regulatorInsert,
    taskQueue: TASK_QUEUES.regulatorInsert,
    input: { submissionId: 1 },
    steps: ['design', 'emission'] as InsertStep[],
  };
  const CANCELLED = 'The insert was cancelled.';

  it.each([
    ['as an activity', false],
    ['as a local activity', true],
  ])('ends after that call, and no other step follows: %s', async (_, isLocal) => {
    const result = await cancelled({ ...insert, isLocal, end: ({ resolve }) => resolve({ slow: false }) });
    const called = ['ended', CANCELLED];
    expect(result).toEqual({ before: 'RUNNING', after: 'CANCELLED', called });
  });

  it.each([
    ['and the step has recorded the end', { slow: false, inserted: { caseId: 'CASE-1' } }],
    ['and a lost attempt has recorded the step', { slow: false }],
  ])('is inserted if that call was the last one, %s', async (_, stepResult) => {
    const steps: InsertStep[] = ['design'];
    const result = await cancelled({ ...insert, steps, end: ({ resolve }) => resolve(stepResult) });
    expect(result).toMatchObject({ before: 'RUNNING', after: 'COMPLETED' });
  });

  it.each([
    ['is cancelled if that call fails', new RegulatorUnavailable('It is away.'), 'CANCELLED', CANCELLED],
    ['fails if the regulator rejects the product', new RegulatorRejection(['No.']), 'FAILED', 'No.'],
  ])('%s', async (_, failure, after, reason) => {
    const result = await cancelled({ ...insert, end: ({ reject }) => reject(failure) });
    expect(result).toMatchObject({ before: 'RUNNING', after });
    expect(result.called.at(-1)).toContain(reason);
  });
});

describe.concurrent('an import whose package is read', () => {
  const packageImport = {
    type: WORKFLOW_TYPES.packageImport,
    taskQueue: TASK_QUEUES.packageImport,
    input: { importId: 1, importUuid: randomUUID() },
  };

  it.each([
    ['records its end after the reading', new CancelledFailure('CANCELLED')],
    ['is cancelled, too, if the reading ends in another way', new TimeSliceOver()],
  ])('%s', async (_, failure) => {
    const result = await cancelled({ ...packageImport, end: ({ reject }) => reject(failure) });
    const called = ['ended', 'completeImport: cancelled'];
    expect(result).toEqual({ before: 'RUNNING', after: 'COMPLETED', called });
  });

  it('fails if the package turns out to be unreadable', async () => {
    const failure = new InvalidPackage('The archive is damaged.');
    const result = await cancelled({ ...packageImport, end: ({ reject }) => reject(failure) });
    const called = ['ended', 'failImport: InvalidPackage', 'forgetPackage'];
    expect(result).toEqual({ before: 'RUNNING', after: 'FAILED', called });
  });
});

describe.concurrent('a run over failures that is beginning a retry', () => {
  const failuresRun = {
    type: WORKFLOW_TYPES.failuresRun,
    taskQueue: TASK_QUEUES.packageImport,
    input: { action: 'regulator-insert', owner: {}, filter: {}, clientId: 'a', actor: 'client:a' },
  };

  it.each<[string, CancelledRun['end']]>([
    ['it has begun', ({ resolve }) => resolve({ importId: 1, cancelled: 0, retry: { isOurs: true } })],
    ['it may have begun before a failure', ({ reject }) => reject(new Error('no Temporal'))],
  ])('gives up the retry that %s', async (_, end) => {
    const result = await cancelled({ ...failuresRun, end });
    const [uuid] = result.called;
    expect(result).toEqual({ before: 'RUNNING', after: 'CANCELLED', called: [uuid, 'ended', uuid] });
  });
});

describe.concurrent('a retry that is starting products', () => {
  const retry = {
    type: WORKFLOW_TYPES.packageImportRetry,
    taskQueue: TASK_QUEUES.packageImport,
    input: { importId: 1, retryUuid: 'this retry' },
  };

  it.each<[string, CancelledRun['end']]>([
    ['have been started', ({ resolve }) => resolve({ queued: 10, failed: 0, pending: 90 })],
    ['could not be started', ({ reject }) => reject(new Error('no database'))],
  ])('is given up after these %s', async (_, end) => {
    const result = await cancelled({ ...retry, end });
    expect(result).toEqual({ before: 'RUNNING', after: 'CANCELLED', called: ['ended', 'this retry'] });
  });
});
