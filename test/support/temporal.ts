/** What operators do to workflows, through Temporal's API. */
import { randomUUID } from 'node:crypto';
import { TASK_QUEUES, type TaskQueue } from '../../src/domain/task-queues.ts';
import { readTaskQueueState } from '../../src/temporal/task-queue-state.ts';
import { eventually } from './eventually.ts';
import type { TestStack } from './services/in-process-stack.ts';

/**
 * Of a queue, so that each of its four partitions is likely to get one; how long each is made to wait: the server
 * refuses those of less than two seconds.
 */
const POLLS = 16;
const POLL_MS = 3_000;

/** Resets a run to a workflow task, as soon as it has one behind it. Gives the new run's id. */
export async function resetRun(
  stack: TestStack,
  workflowId: string,
  options: { runId?: string; eventId?: number } = {},
): Promise<string> {
  const { temporal } = stack;
  await eventually(async () => (await resetPoints(stack, workflowId, options.runId)).length > 0);
  const { runId } = await temporal.workflowService.resetWorkflowExecution({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId, runId: options.runId ?? '' },
    reason: 'test',
    workflowTaskFinishEventId: options.eventId ?? 4,
    requestId: randomUUID(),
  } as never);
  return runId;
}

/** Ids of the events of a run at which it can be reset: the ends of its workflow tasks. */
export async function resetPoints(
  { temporal }: TestStack,
  workflowId: string,
  runId?: string,
): Promise<number[]> {
  const { events } = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? [])
    .filter(({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes)
    .map(({ eventId }) => Number(eventId));
}

export async function deleteRun({ temporal }: TestStack, workflowId: string, runId = ''): Promise<void> {
  await temporal.workflowService.deleteWorkflowExecution({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId, runId },
  });
}

/**
 * Lets the server know of pollers of every task queue, though no worker is there: so uploads are taken, and wait. On a
 * server that has never heard of a worker they would be refused.
 */
export async function seemServed({ temporal }: TestStack): Promise<void> {
  const service = temporal.workflowService;
  const namespace = temporal.options.namespace;
  const { packageImport, packageReading } = TASK_QUEUES;
  const poll = (name: TaskQueue) => ({ namespace, taskQueue: { name }, identity: 'nobody' });
  const inVain = (ask: () => Promise<unknown>) =>
    temporal.connection.withDeadline(Date.now() + POLL_MS, ask).catch(() => null);
  const polls = Array.from({ length: POLLS }, () => [
    inVain(() => service.pollWorkflowTaskQueue(poll(packageImport))),
    inVain(() => service.pollActivityTaskQueue(poll(packageReading))),
  ]);
  await Promise.all(polls.flat());
}

/** Activities that wait in a task queue for a worker, as the server counts them. */
export async function activitiesWaiting({ temporal }: TestStack, taskQueue: TaskQueue): Promise<number> {
  const { namespace } = temporal.options;
  return (await readTaskQueueState(temporal, namespace, taskQueue, 'activity')).waiting;
}

/** Lets the reconciler look now, and as if what is under way had been so for a while. */
export async function reconcileNow(stack: TestStack): Promise<void> {
  await stack.sql(
    `update submission set updated_at = now() - interval '1 minute' where status = 'regulator_inserting'`,
  );
  await stack.sql(
    `update zip_import set uploaded_at = uploaded_at - interval '1 minute' where completed_at is null`,
  );
  await stack.temporal.schedule.getHandle('package-import-reconcile').trigger();
}
