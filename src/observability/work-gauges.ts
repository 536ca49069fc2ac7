/** Gauges of the work in the whole service. Every gateway shows the same values: queries use the maximum, not the sum. */
import type { Registry } from '@prometheus-io/client';
import type { WorkFigures } from '../domain/submission.ts';
import type { WorkerRole } from '../domain/task-queues.ts';
import type { Backlog } from '../temporal/task-queues.ts';
import { gaugesOf } from './metrics.ts';

export interface WorkSources {
  /** @throws if the database is unavailable */
  figures(): Promise<WorkFigures>;
  /** Size of the stored ZIPs and attachments. @throws if the database is unavailable */
  stored(): Promise<{ bytes: number }>;
  /** @throws if Temporal is unavailable */
  backlogs(): Promise<Backlog[]>;
  /** Running worker processes. @throws if the database is unavailable */
  workers(): Promise<Readonly<Record<WorkerRole, number>>>;
}

/** Cached longer: the value changes slowly, and its query costs more with each stored package. */
const STORED_FRESH_MS = 5 * 60_000;

export function measureWork(registry: Registry, sources: WorkSources): void {
  const work = gaugesOf(registry, sources.figures);
  work(
    'package_import_imports_unfinished',
    'Imports that have not ended',
    ({ unfinishedImports }) => unfinishedImports,
  );
  work(
    'package_import_oldest_unfinished_import_seconds',
    'Time since the upload of the oldest import that has not ended',
    ({ oldestUnfinishedS }) => oldestUnfinishedS,
  );
  work(
    'package_import_submissions',
    'Submissions of imports that have not ended, by status',
    ({ submissions }) => Object.entries(submissions).map(([status, count]) => [{ status }, count]),
    ['status'],
  );
  work(
    'package_import_regulator_slots_held',
    'Slots for calls to the regulator that are in use (limit: REGULATOR_CONCURRENCY)',
    ({ regulatorSlots }) => regulatorSlots,
  );
  const stored = gaugesOf(registry, sources.stored, STORED_FRESH_MS);
  stored('package_import_stored_bytes', 'Size of the stored ZIPs and attachments', ({ bytes }) => bytes);
  const workers = gaugesOf(registry, sources.workers);
  workers(
    'package_import_workers',
    'Running worker processes, by role',
    (counts) => Object.entries(counts).map(([role, count]) => [{ role }, count]),
    ['role'],
  );
  const perQueue = (of: (backlog: Backlog) => number) => (backlogs: Backlog[]) =>
    backlogs.map(
      (backlog) => [{ task_queue: backlog.taskQueue, task_type: backlog.taskType }, of(backlog)] as const,
    );
  const backlog = gaugesOf(registry, sources.backlogs);
  backlog(
    'package_import_task_queue_backlog',
    'Tasks that wait for a worker, as estimated by Temporal',
    perQueue(({ tasks }) => tasks),
    ['task_queue', 'task_type'],
  );
  backlog(
    'package_import_task_queue_backlog_age_seconds',
    'Age of the oldest task that waits for a worker',
    perQueue(({ ageS }) => ageS),
    ['task_queue', 'task_type'],
  );
}
