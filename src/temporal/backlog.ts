/** What waits in the task queues for a worker. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';
import { readTaskQueueState, type TaskType } from './task-queue-state.ts';

export interface Backlog {
  taskQueue: TaskQueue;
  taskType: TaskType;
  /** Tasks, as the server estimates them. */
  tasks: number;
  /** Seconds that the oldest has waited. */
  ageS: number;
}

/** @throws when Temporal does not answer */
export function readBacklogs(connection: Connection, namespace: string): Promise<Backlog[]> {
  return Promise.all(
    Object.values(TASK_QUEUES).flatMap((taskQueue) =>
      (['workflow', 'activity'] as const).map(async (taskType): Promise<Backlog> => {
        const { waiting, waitingS } = await readTaskQueueState(connection, namespace, taskQueue, taskType);
        return { taskQueue, taskType, tasks: waiting, ageS: waitingS };
      }),
    ),
  );
}
