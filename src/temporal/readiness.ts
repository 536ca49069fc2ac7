/** Whether an upload would be processed: the server answers and somebody polls every task queue. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';

/** Temporal API, `temporal.api.enums.v1.TaskQueueType`. */
const WORKFLOW_QUEUE = 1;
const ACTIVITY_QUEUE = 2;

/** What is polled by the worker of a task queue: the one that reads packages runs no workflows. */
const typeOf = (name: TaskQueue) => (name === TASK_QUEUES.packageReading ? ACTIVITY_QUEUE : WORKFLOW_QUEUE);

/** A poll lasts a minute; the server remembers pollers longer than they live. */
const POLLER_SILENCE_MS = 90_000;

function isAlive({ lastAccessTime }: { lastAccessTime?: { seconds?: unknown } | null }): boolean {
  return Number(lastAccessTime?.seconds ?? 0) * 1000 > Date.now() - POLLER_SILENCE_MS;
}

export function temporalReadiness(
  connection: Connection,
  namespace: string,
): Record<string, () => Promise<void>> {
  const polled = (name: TaskQueue) => async () => {
    const { pollers } = await connection.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name },
      taskQueueType: typeOf(name),
    });
    if (!pollers?.some(isAlive)) throw new Error(`no worker polls the task queue ${name}`);
  };
  return {
    temporal: async () => {
      await connection.workflowService.getSystemInfo({});
    },
    ...Object.fromEntries(Object.values(TASK_QUEUES).map((name) => [`worker ${name}`, polled(name)])),
  };
}
