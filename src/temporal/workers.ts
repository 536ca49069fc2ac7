/** The two workers, one per task queue (design §2). */
import { type NativeConnection, Worker } from '@temporalio/worker';
import { TASK_QUEUES } from '../../workflows/messages.ts';

export interface WorkerSetup {
  connection: NativeConnection;
  namespace: string;
  workflowBundle: { code: string };
  activities: object;
  identity: string;
  /** Milliseconds that what runs may take to finish after a stop request; what is left is tried again elsewhere. */
  shutdownGraceMs: number;
}

/** After the grace period activities are cancelled; they get this long to notice. */
const CANCELLATION_MS = 10_000;

/** Imports are few and large: extraction reads whole packages. */
export function createImportWorker({
  connection,
  namespace,
  workflowBundle,
  activities,
  identity,
  shutdownGraceMs,
}: WorkerSetup): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUES.packageImport,
    workflowBundle,
    activities,
    identity,
    maxConcurrentActivityTaskExecutions: 8,
    maxCachedWorkflows: 200,
    shutdownGraceTime: shutdownGraceMs,
    shutdownForceTime: shutdownGraceMs + CANCELLATION_MS,
  });
}

export interface InsertLimits {
  /** Steps that one worker runs at the same time. */
  concurrency: number;
  /** Steps per second over all workers, enforced by the server; undefined for no limit. */
  ratePerSecond: number | undefined;
}

/**
 * Inserts are many and small. Few workflow tasks at a time: while an upload waits for its hundred inserts
 * to be started, workers that begin all of them at once only take the server's time (design §10).
 */
export function createInsertWorker(
  { connection, namespace, workflowBundle, activities, identity, shutdownGraceMs }: WorkerSetup,
  { concurrency, ratePerSecond }: InsertLimits,
): Promise<Worker> {
  return Worker.create({
    connection,
    namespace,
    taskQueue: TASK_QUEUES.regulatorInsert,
    workflowBundle,
    activities,
    identity,
    maxConcurrentActivityTaskExecutions: concurrency,
    ...(ratePerSecond !== undefined && { maxTaskQueueActivitiesPerSecond: ratePerSecond }),
    maxConcurrentWorkflowTaskExecutions: 4,
    maxConcurrentWorkflowTaskPolls: 2,
    maxCachedWorkflows: 500,
    shutdownGraceTime: shutdownGraceMs,
    shutdownForceTime: shutdownGraceMs + CANCELLATION_MS,
  });
}
