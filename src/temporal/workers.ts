/** The three workers, one per task queue (architecture §processes), tuned for processes with two cores. */
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { TASK_QUEUES } from '../domain/task-queues.ts';

export interface WorkerSetup
  extends Pick<
    WorkerOptions,
    'connection' | 'namespace' | 'activities' | 'identity' | 'dataConverter' | 'interceptors' | 'sinks'
  > {
  workflowBundle: { code: string };
  /** Names the code in Temporal, beside every worker and every workflow task. No run depends on it (decision §histories-replay). */
  buildId: string;
  /** Connections to the database: more records at the same time would only wait for one. */
  databaseConnections: number;
  /** Milliseconds that what runs may take to finish after a stop request; what is left is tried again elsewhere. */
  shutdownGraceMs: number;
}

/** After the grace period activities are cancelled; they get this long to notice. */
const CANCELLATION_MS = 10_000;

/** Temporal lists the workers under this name. */
const DEPLOYMENT_NAME = 'package-import';

/**
 * Imports are few and large, and an upload waits for the answer. Half of the polls are for new imports, so that none
 * waits behind the progress of others.
 */
export function createImportWorker(setup: WorkerSetup): Promise<Worker> {
  return Worker.create({
    ...common(setup),
    taskQueue: TASK_QUEUES.packageImport,
    maxConcurrentActivityTaskExecutions: 8,
    maxConcurrentWorkflowTaskExecutions: 8,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    nonStickyToStickyPollRatio: 0.5,
    // An import with its batch of children is the larger kind of run, some MB.
    maxCachedWorkflows: 200,
  });
}

/** What reading packages costs at the most. */
export interface ReadingLimits {
  /** Packages that one worker reads at the same time. */
  concurrency: number;
}

/** Reads packages and runs no workflows: what is short has workers of its own (decision §reading-apart). */
export function createReadingWorker(setup: WorkerSetup, { concurrency }: ReadingLimits): Promise<Worker> {
  const { workflowBundle: _, ...options } = common(setup);
  return Worker.create({
    ...options,
    taskQueue: TASK_QUEUES.packageReading,
    maxConcurrentActivityTaskExecutions: concurrency,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(2, concurrency) },
    // Who watches a package being read sees it move; there are few of them at a time.
    maxHeartbeatThrottleInterval: '500 milliseconds',
  });
}

/** How often calls to the regulator begin is kept beside the calls, for all workers: src/regulator/paced-regulator.ts. */
export interface InsertLimits {
  /** Steps that one worker runs at the same time. */
  concurrency: number;
}

/** More in one process only wait for its thread. */
const MOST_INSERTS_AT_ONCE = 20;

/** Inserts are many and small, and one workflow task each as long as nothing has to wait (decision §steps-locally-first). */
export function createInsertWorker(setup: WorkerSetup, { concurrency }: InsertLimits): Promise<Worker> {
  const insertsAtOnce = Math.min(MOST_INSERTS_AT_ONCE, Math.max(2, concurrency));
  return Worker.create({
    ...common(setup),
    taskQueue: TASK_QUEUES.regulatorInsert,
    maxConcurrentActivityTaskExecutions: concurrency,
    // As many as calls may be under way: none holds its task only to wait for a slot.
    maxConcurrentWorkflowTaskExecutions: insertsAtOnce,
    maxConcurrentLocalActivityExecutions: insertsAtOnce + setup.databaseConnections,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(5, concurrency) },
    // Those that are under way come first (activity-proxies.ts): the cache holds them.
    maxCachedWorkflows: 500,
  });
}

function common({ buildId, databaseConnections, shutdownGraceMs, ...options }: WorkerSetup) {
  return {
    ...options,
    workerDeploymentOptions: {
      version: { deploymentName: DEPLOYMENT_NAME, buildId },
      useWorkerVersioning: false,
    },
    maxConcurrentLocalActivityExecutions: databaseConnections,
    // Heartbeats tell how far a package is read. By default one goes out when most of the timeout is over, and
    // one late heartbeat would be taken for a dead worker.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: shutdownGraceMs,
    shutdownForceTime: shutdownGraceMs + CANCELLATION_MS,
  } satisfies Partial<WorkerOptions>;
}
