/** Whether an upload would be processed: the server answers and somebody takes the tasks of every task queue. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';
import { readTaskQueueState } from './task-queue-state.ts';

/** What is polled by the worker of a task queue: the one that reads packages runs no workflows. */
const typeOf = (name: TaskQueue) => (name === TASK_QUEUES.packageReading ? 'activity' : 'workflow');

/** A poll lasts a minute; the server remembers pollers longer than they live. */
const POLLER_SILENCE_MS = 90_000;

/** By name; each rejects with the reason why not. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ProcessingChecks {
  /** Everything that an upload, or a dry run, needs to be answered. */
  uploads: Checks;
  /** What inserts need besides. Uploads are answered without it: their products wait. */
  inserts: Checks;
}

export function processingChecks(
  connection: Pick<Connection, 'workflowService'>,
  namespace: string,
  now: () => number = Date.now,
): ProcessingChecks {
  /**
   * A worker whose every place is taken does not poll: dry runs of large packages may take some minutes. So silence
   * counts only where something waits, or where it is longer than the server remembers (five minutes).
   */
  const served = (name: TaskQueue) => async () => {
    const { polls, waiting } = await readTaskQueueState(connection, namespace, name, typeOf(name));
    const polledAt = Math.max(0, ...polls);
    const isSilent = polledAt <= now() - POLLER_SILENCE_MS;
    if (polledAt === 0 || (isSilent && waiting > 0))
      throw new Error(`no worker polls the task queue ${name}`);
  };

  const workersOf = (...names: TaskQueue[]): Checks =>
    Object.fromEntries(names.map((name) => [`worker ${name}`, served(name)]));

  return {
    uploads: {
      temporal: async () => {
        await connection.workflowService.getSystemInfo({});
      },
      ...workersOf(TASK_QUEUES.packageImport, TASK_QUEUES.packageReading),
    },
    inserts: workersOf(TASK_QUEUES.regulatorInsert),
  };
}
