/** Backlogs of the task queues. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';
import { readTaskQueueState, type TaskType } from './task-queue-state.ts';

export interface Backlog {
  taskQueue: TaskQueue;
  taskType: TaskType;
  /** Waiting tasks, estimated by the server. */
  tasks: number;
  /** Age of the oldest task, in seconds. */
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
