/** The workers, one per task queue (architecture §processes), tuned for processes with two cores. */
import { Worker, type WorkerOptions } from '@temporalio/worker';
import { TASK_QUEUES, type TaskQueue } from '../domain/task-queues.ts';

export interface WorkerSetup
  extends Pick<
    WorkerOptions,
    'connection' | 'namespace' | 'activities' | 'identity' | 'dataConverter' | 'interceptors' | 'sinks'
  > {
  workflowBundle: { code: string };
  /**
   * Identifies the code in Temporal, beside every worker and every workflow task. No run depends on it
   * (decision §histories-replay).
   */
  buildId: string;
  /** Connections to the database: further concurrent records would only wait for a connection. */
  databaseConnections: number;
  /** Milliseconds for running tasks to finish after a stop request. Unfinished tasks are retried by another worker. */
  shutdownGraceMs: number;
}

/** Time after the grace period for cancelled activities to stop. */
const CANCELLATION_MS = 10_000;

/** Temporal lists the workers under this name. */
const DEPLOYMENT_NAME = 'package-import';

/**
 * Creates the worker of imports, which are few and large. An upload waits for the answer. Half of the polls are for new
 * imports, so that none waits behind the progress of others.
 */
export function createImportWorker(setup: WorkerSetup): Promise<Worker> {
  return Worker.create({
    ...common(setup),
    taskQueue: TASK_QUEUES.packageImport,
    maxConcurrentActivityTaskExecutions: 8,
    maxConcurrentWorkflowTaskExecutions: 8,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 4 },
    nonStickyToStickyPollRatio: 0.5,
    // An import with its batch of children is the larger kind of run: some MB.
    maxCachedWorkflows: 200,
  });
}

/** Creates the worker that reads packages (decision §reading-apart). @param concurrency packages at once */
export function createReadingWorker(
  setup: WorkerSetup,
  { concurrency }: { concurrency: number },
): Promise<Worker> {
  return createActivityWorker(setup, TASK_QUEUES.packageReading, concurrency, {
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(2, concurrency) },
    // A short interval shows progress to a waiting user; few packages are read at a time.
    maxHeartbeatThrottleInterval: '500 milliseconds',
  });
}

/** Creates a worker without workflows. @param concurrency activities at once */
export function createActivityWorker(
  setup: WorkerSetup,
  taskQueue: TaskQueue,
  concurrency: number,
  others: Partial<WorkerOptions> = {},
): Promise<Worker> {
  const { workflowBundle: _, ...options } = common(setup);
  return Worker.create({
    ...options,
    taskQueue,
    maxConcurrentActivityTaskExecutions: concurrency,
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: 1 },
    ...others,
  });
}

/** Further inserts in one process would only wait for its thread. */
const MAX_INSERTS_AT_ONCE = 60;

/**
 * Creates the worker of inserts. Inserts are many and small, and take one workflow task each unless they have to wait
 * (decision §six-steps). Calls to the regulator are limited over all workers
 * (decision §the-regulators-limits).
 *
 * @param concurrency calls to the regulator at a time, over all workers
 */
export function createInsertWorker(
  setup: WorkerSetup,
  { concurrency }: { concurrency: number },
): Promise<Worker> {
  // An insert needs no slot between two calls. Others use it then.
  const insertsAtOnce = Math.min(MAX_INSERTS_AT_ONCE, 2 * concurrency);
  return Worker.create({
    ...common(setup),
    taskQueue: TASK_QUEUES.regulatorInsert,
    maxConcurrentActivityTaskExecutions: Math.ceil(1.5 * concurrency),
    maxConcurrentWorkflowTaskExecutions: insertsAtOnce,
    maxConcurrentLocalActivityExecutions: insertsAtOnce + setup.databaseConnections,
    workflowTaskPollerBehavior: { type: 'simple-maximum', maximum: 2 },
    activityTaskPollerBehavior: { type: 'simple-maximum', maximum: Math.min(5, concurrency) },
    // Begun inserts have priority (activity-proxies.ts): the cache holds them.
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
    // Heartbeats contain the progress of reading. By default one is sent after most of the timeout, and one late
    // heartbeat would count as a dead worker.
    maxHeartbeatThrottleInterval: '2 seconds',
    shutdownGraceTime: shutdownGraceMs,
    shutdownForceTime: shutdownGraceMs + CANCELLATION_MS,
  } satisfies Partial<WorkerOptions>;
}
