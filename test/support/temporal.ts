/** Actions of operators on workflows, through Temporal's API. */
import { randomUUID } from 'node:crypto';
import { TASK_QUEUES, type TaskQueue } from '../../src/domain/task-queues.ts';
import { readTaskQueueState } from '../../src/temporal/task-queue-state.ts';
import { eventually } from './eventually.ts';
import type { TestStack } from './services/in-process-stack.ts';

/**
 * Polls per queue, enough that each of its four partitions probably gets one. The server refuses polls with a timeout of
 * less than two seconds.
 */
const POLLS = 16;
const POLL_MS = 3_000;

/** Resets a run to a workflow task, as soon as one is completed. Returns the new run's id. */
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

/** Ids of the events at which a run can be reset: the ends of its workflow tasks. */
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
 * Makes pollers of every task queue known to the server, although no worker runs. Uploads are then accepted and wait.
 * A server that never saw a worker would lead to their refusal.
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

/** Number of activities that wait in a task queue for a worker, by the server's count. */
export async function activitiesWaiting({ temporal }: TestStack, taskQueue: TaskQueue): Promise<number> {
  const { namespace } = temporal.options;
  return (await readTaskQueueState(temporal, namespace, taskQueue, 'activity')).waiting;
}

/** Runs the reconciler now, as if the unfinished work had been unfinished for a while. */
export async function reconcileNow(stack: TestStack): Promise<void> {
  await stack.sql(
    `update submission set updated_at = now() - interval '1 minute' where status = 'regulator_inserting'`,
  );
  await stack.sql(
    `update zip_import set uploaded_at = uploaded_at - interval '1 minute' where completed_at is null`,
  );
  await stack.temporal.schedule.getHandle('package-import-reconcile').trigger();
}
