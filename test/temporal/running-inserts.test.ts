/** Which of many inserts run, by Temporal's list (decision §the-reconciler). */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { createInsertWorkflows } from '../../src/temporal/insert-workflows.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { startStack } from '../support/starters/stack.ts';

const stack = await startStack({ withoutWorkers: true });

it('five hundred runs are looked up at once, and those that run are returned', async () => {
  const { temporal } = stack;
  const start = () =>
    temporal.workflow.start(WORKFLOW_TYPES.regulatorInsert, {
      workflowId: randomUUID(),
      taskQueue: TASK_QUEUES.regulatorInsert,
      args: [{ submissionId: 1 }],
    });
  const [running, ended] = [await start(), await start()];
  await ended.terminate('the end of the run');
  const workflows = createInsertWorkflows(temporal, { of: async () => ({}) });
  const strangers = Array.from({ length: 498 }, () => randomUUID());
  const runIds = [...strangers, ended.firstExecutionRunId, running.firstExecutionRunId];
  // Temporal's list follows a moment later.
  await eventually(async () => {
    const found = await workflows.running(runIds);
    return found.has(running.firstExecutionRunId) && found.size === 1;
  });
  expect(await workflows.running([])).toEqual(new Set());
});
