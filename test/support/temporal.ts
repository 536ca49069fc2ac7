/** Actions of operators on workflows, through Temporal's API. */
import { randomUUID } from 'node:crypto';
import { type TaskQueue, WORKER_ROLES } from '../../src/domain/task-queues.ts';
import { readBacklog } from '../../src/temporal/task-queues.ts';
import { eventually } from './eventually.ts';
import type { Stack } from './starters/stack.ts';

/** Resets a run to a workflow task, as soon as one is completed. Returns the new run's id. */
export async function resetRun(
  stack: Stack,
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
  { temporal }: Stack,
  workflowId: string,
  runId?: string,
): Promise<number[]> {
  const { events } = await temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  return (events ?? [])
    .filter(({ workflowTaskCompletedEventAttributes }) => workflowTaskCompletedEventAttributes)
    .map(({ eventId }) => Number(eventId));
}

export async function deleteRun({ temporal }: Stack, workflowId: string, runId = ''): Promise<void> {
  await temporal.workflowService.deleteWorkflowExecution({
    namespace: temporal.options.namespace,
    workflowExecution: { workflowId, runId },
  });
}

/** Makes a worker of each role seem to run for an hour, although none runs. Uploads are then accepted and wait. */
export async function seemServed({ sql }: Pick<Stack, 'sql'>): Promise<void> {
  const roles = WORKER_ROLES.map((role) => `('${role}', gen_random_uuid(), now() + interval '1 hour')`);
  await sql(`insert into worker_heartbeat (role, holder, seen_at) values ${roles.join()}`);
}

/** Number of activities that wait in a task queue for a worker, by the server's count. */
export async function activitiesWaiting({ temporal }: Stack, taskQueue: TaskQueue): Promise<number> {
  const { namespace } = temporal.options;
  return (await readBacklog(temporal, namespace, taskQueue, 'activity')).tasks;
}

/** Runs the reconciler now, as if the unfinished work had been unfinished for a while. */
export async function reconcileNow(stack: Stack): Promise<void> {
  await stack.sql(
    `update submission set updated_at = now() - interval '1 minute' where status = 'regulator_inserting'`,
  );
  await stack.sql(
    `update zip_import set uploaded_at = uploaded_at - interval '1 minute' where completed_at is null`,
  );
  await stack.temporal.schedule.getHandle('package-import-reconcile').trigger();
}
