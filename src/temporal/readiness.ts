/** Readiness for uploads: Temporal answers, and each role has a worker (decision §somebody-processes). */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type WorkerRole } from '../domain/task-queues.ts';

/** Checks by name; each rejects with the reason. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ProcessingChecks {
  /** Requirements of the answer to an upload or a dry run. */
  uploads: Checks;
  /** Further requirements of inserts. Uploads are answered without them: their products wait. */
  inserts: Checks;
}

/** @param countWorkers returns the number of running worker processes by role */
export function processingChecks(
  connection: Pick<Connection, 'workflowService'>,
  countWorkers: () => Promise<Readonly<Record<WorkerRole, number>>>,
): ProcessingChecks {
  const present = (role: WorkerRole) => async () => {
    if ((await countWorkers())[role] === 0) throw new Error(`no worker of ${role} has a recent heartbeat`);
  };

  const workersOf = (...roles: WorkerRole[]): Checks =>
    Object.fromEntries(roles.map((role) => [`worker ${role}`, present(role)]));

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
