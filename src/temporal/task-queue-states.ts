/** The waiting tasks of the task queues in Temporal. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';

export type TaskType = 'workflow' | 'activity';

/** Temporal API, `temporal.api.enums.v1.TaskQueueType`. */
const TASK_TYPES: Readonly<Record<TaskType, number>> = { workflow: 1, activity: 2 };

export interface Backlog {
  taskQueue: TaskQueue;
  taskType: TaskType;
  /** Waiting tasks, estimated by the server. */
  tasks: number;
  /** Age of the oldest task, in seconds. */
  ageS: number;
}

/** @throws when Temporal does not answer */
export async function readBacklog(
  { workflowService }: Pick<Connection, 'workflowService'>,
  namespace: string,
  taskQueue: TaskQueue,
  taskType: TaskType,
): Promise<Backlog> {
  const { stats } = await workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: TASK_TYPES[taskType],
    reportStats: true,
  });
  const { seconds, nanos } = stats?.approximateBacklogAge ?? {};
  return {
    taskQueue,
    taskType,
    tasks: Number(stats?.approximateBacklogCount ?? 0),
    ageS: Number(seconds ?? 0) + (nanos ?? 0) / 1e9,
  };
}

/** @throws when Temporal does not answer */
export function readBacklogs(connection: Connection, namespace: string): Promise<Backlog[]> {
  return Promise.all(
    Object.values(TASK_QUEUES).flatMap((taskQueue) =>
      (['workflow', 'activity'] as const).map((taskType) =>
        readBacklog(connection, namespace, taskQueue, taskType),
      ),
    ),
  );
}
