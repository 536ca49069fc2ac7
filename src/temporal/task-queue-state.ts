/** State of a task queue in Temporal: its pollers and its waiting tasks. */
import type { Connection } from '@temporalio/client';
import type { TaskQueue } from '../domain/task-queues.ts';

export type TaskType = 'workflow' | 'activity';

/** Temporal API, `temporal.api.enums.v1.TaskQueueType`. */
const TASK_TYPES: Readonly<Record<TaskType, number>> = { workflow: 1, activity: 2 };

export interface TaskQueueState {
  /** Last poll of each poller that the server remembers, in ms since the epoch. */
  polls: number[];
  /** Waiting tasks, estimated by the server. */
  waiting: number;
  /** Age of the oldest waiting task, in seconds. */
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
