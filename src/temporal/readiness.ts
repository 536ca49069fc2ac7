/** Readiness for uploads: the server answers, and workers poll every task queue. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';
import { readTaskQueueState } from './task-queue-state.ts';

/** Task type that the worker of a task queue polls: the reading worker runs no workflows. */
const typeOf = (name: TaskQueue) => (name === TASK_QUEUES.packageReading ? 'activity' : 'workflow');

/**
 * Age of the last poll from which a worker counts as silent. A poll lasts a minute. The server remembers pollers for
 * longer.
 */
const POLLER_SILENCE_MS = 90_000;

/** Checks by name; each rejects with the reason. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ProcessingChecks {
  /** Requirements of the answer to an upload or a dry run. */
  uploads: Checks;
  /** Further requirements of inserts. Uploads are answered without them: their products wait. */
  inserts: Checks;
}

export function processingChecks(
  connection: Pick<Connection, 'workflowService'>,
  namespace: string,
  now: () => number = Date.now,
): ProcessingChecks {
  /**
   * Checks that a task queue has a worker. A fully occupied worker does not poll: dry runs of large packages may take
   * some minutes. Silence therefore fails the check only while tasks wait, or after the server has forgotten the poller
   * (five minutes).
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
