/** Runs that meet an outage of the database: their histories do not grow with it (decision §timeouts-and-retries). */
import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { mapFailures } from '../../activities/failure-mapping.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { workerSetup } from '../../src/processes/workers/roles.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { createInsertWorker } from '../../src/temporal/workers.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { startStack } from '../support/starters/stack.ts';

const stack = await startStack({ withoutWorkers: true });

it('a record that cannot be written becomes an activity, and is written when the database is back', async () => {
  let isAway = true;
  const attempts = { local: 0, others: 0 };
  const activities = mapFailures({
    beginInsert: async () => {
      attempts[Context.current().info.isLocal ? 'local' : 'others'] += 1;
      if (isAway) throw new Error('The database is away.');
      return { kind: 'inserted', caseId: 'CASE-1', by: 1 };
    },
  });
  const connection = await connectWorker(stack.config.temporal);
  try {
    const setup = await workerSetup(stack.config, connection);
    const worker = await createInsertWorker({ ...setup, activities }, { concurrency: 10 });
    await worker.runUntil(async () => {
      const run = await stack.temporal.workflow.start(WORKFLOW_TYPES.regulatorInsert, {
        workflowId: 'insert-in-an-outage',
        taskQueue: TASK_QUEUES.regulatorInsert,
        args: [{ submissionId: 1 }],
      });
      const pending = await eventually(async () => {
        const { pendingActivities } = (await run.describe()).raw;
        return pendingActivities?.find(({ attempt }) => Number(attempt) > 2);
      });
      expect(pending).toMatchObject({
        activityType: { name: 'beginInsert' },
        lastFailure: { message: 'The database is away.' },
      });
      // Started; one workflow task with the failed local attempts; the activity, which is scheduled once.
      const events = (await run.fetchHistory()).events ?? [];
      expect(events.filter((event) => event.activityTaskScheduledEventAttributes)).toHaveLength(1);
      expect(attempts.local).toBe(6);
      isAway = false;
      expect(await run.result()).toEqual({ outcome: 'inserted', caseId: 'CASE-1' });
    });
  } finally {
    await connection.close();
  }
});
