/** The state of Temporal and its task queues: readiness, and waiting tasks. */
import type { Connection } from '@temporalio/client';
import { TASK_QUEUES, type TaskQueue, type WorkerRole } from '../domain/task-queues.ts';

/** Checks by name; each rejects with the reason. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface ProcessingChecks {
  /** Requirements of the answer to an upload or a dry run. */
  uploads: Checks;
  /** Further requirements of inserts. Uploads are answered without them: their products wait. */
  inserts: Checks;
}

/**
 * Readiness for uploads: Temporal answers, and each role has a worker (decision §somebody-processes).
 *
 * @param countWorkers returns the number of running worker processes by role
 */
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

type TaskType = 'workflow' | 'activity';

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
