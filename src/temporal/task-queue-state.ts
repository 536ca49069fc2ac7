/** What Temporal knows of a task queue: who polls it, and what waits in it. */
import type { Connection } from '@temporalio/client';
import type { TaskQueue } from '../domain/task-queues.ts';

export type TaskType = 'workflow' | 'activity';

/** Temporal API, `temporal.api.enums.v1.TaskQueueType`. */
const TASK_TYPES: Readonly<Record<TaskType, number>> = { workflow: 1, activity: 2 };

export interface TaskQueueState {
  /** Of each poller that the server remembers, the last poll in ms since the epoch. */
  polls: number[];
  /** Tasks that wait for a worker, as the server estimates them. */
  waiting: number;
  /** Seconds that the oldest of them has waited. */
  waitingS: number;
}

/** @throws when Temporal does not answer */
export async function readTaskQueueState(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
  taskQueue: TaskQueue,
  taskType: TaskType,
): Promise<TaskQueueState> {
  const { pollers, stats } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_TYPES[taskType],
    reportStats: true,
  });
  const { seconds, nanos } = stats?.approximateBacklogAge ?? {};
  return {
    polls: (pollers ?? []).map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000),
    waiting: Number(stats?.approximateBacklogCount ?? 0),
    waitingS: Number(seconds ?? 0) + (nanos ?? 0) / 1e9,
  };
}
