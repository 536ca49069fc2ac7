/** What waits in the task queues for a worker. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';

export interface Backlog {
  taskQueue: TaskQueue;
  taskType: 'workflow' | 'activity';
  /** Tasks, as the server estimates them. */
  tasks: number;
  /** Seconds that the oldest has waited. */
  ageS: number;
}

/** Temporal API, `temporal.api.enums.v1.TaskQueueType`. */
const TASK_TYPES = { workflow: 1, activity: 2 } as const;

/** @throws when Temporal does not answer */
export function readBacklogs(connection: Connection, namespace: string): Promise<Backlog[]> {
  return Promise.all(
    Object.values(TASK_QUEUES).flatMap((taskQueue) =>
      (['workflow', 'activity'] as const).map(async (taskType): Promise<Backlog> => {
        const { stats } = await connection.workflowService.describeTaskQueue({
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
      }),
    ),
  );
}
