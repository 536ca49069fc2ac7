/** Which of many inserts run, by Temporal's list (decision §the-reconciler), and the wait for one of them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { createInsertWorkflows } from '../../src/temporal/insert-workflows.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';

const { temporal } = await startStack({ withoutWorkers: true });
const workflows = createInsertWorkflows(temporal, { of: async () => ({}) });

const start = (workflowId: string = randomUUID()) =>
  temporal.workflow.start(WORKFLOW_TYPES.regulatorInsert, {
    workflowId,
    taskQueue: TASK_QUEUES.regulatorInsert,
    args: [{ submissionId: 1 }],
  });

it('five hundred runs are looked up at once, and those that run are returned', async () => {
  const [running, ended] = [await start(), await start()];
  await ended.terminate('the end of the run');
  const strangers = Array.from({ length: 498 }, () => randomUUID());
  const runIds = [...strangers, ended.firstExecutionRunId, running.firstExecutionRunId];
  // Temporal's list follows a moment later.
  await eventually(async () => {
    const found = await workflows.running(runIds);
    return found.has(running.firstExecutionRunId) && found.size === 1;
  });
  expect(await workflows.running([])).toEqual(new Set());
});

it('the wait for a run ends at its deadline, or when the run closes', async () => {
  const productId = newProductId();
  const run = await start(insertWorkflowId(productId));
  const waitedMs = async (maxWaitMs: number) => {
    const since = performance.now();
    await workflows.untilClosed(productId, run.firstExecutionRunId, Date.now() + maxWaitMs);
    return performance.now() - since;
  };
  const waited = await waitedMs(1_000);
  expect(waited).toBeGreaterThan(900);
  expect(waited).toBeLessThan(15_000);
  expect(await workflows.current(productId)).toMatchObject({ running: true });
  const closed = waitedMs(60_000);
  await run.terminate('the end of the run');
  expect(await closed).toBeLessThan(15_000);
});
