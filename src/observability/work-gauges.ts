/** Gauges of the work in the whole service. Every gateway shows the same values: queries use the maximum, not the sum. */
import type { Registry } from '@prometheus-io/client';
import type { WorkFigures } from '../domain/submission.ts';
import type { WorkerRole } from '../domain/task-queues.ts';
import type { Backlog } from '../temporal/task-queues.ts';
import { gaugeOf, shared } from './metrics.ts';

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
  const figures = shared(sources.figures);
  const backlogs = shared(sources.backlogs);
  const workers = shared(sources.workers);
  const figure = (name: string, help: string, figureOf: (seen: WorkFigures) => number) =>
    gaugeOf(registry, { name, help }, { read: figures, show: (gauge, seen) => gauge.set(figureOf(seen)) });
  const perQueue = (name: string, help: string, figureOf: (seen: Backlog) => number) =>
    gaugeOf(
      registry,
      { name, help, labelNames: ['task_queue', 'task_type'] },
      {
        read: backlogs,
        show(gauge, seen) {
          for (const backlog of seen)
            gauge.set({ task_queue: backlog.taskQueue, task_type: backlog.taskType }, figureOf(backlog));
        },
      },
    );

  figure(
    'package_import_imports_unfinished',
    'Imports that have not ended',
    ({ unfinishedImports }) => unfinishedImports,
  );
  figure(
    'package_import_oldest_unfinished_import_seconds',
    'Time since the upload of the oldest import that has not ended',
    ({ oldestUnfinishedS }) => oldestUnfinishedS,
  );
  gaugeOf(
    registry,
    {
      name: 'package_import_submissions',
      help: 'Submissions of imports that have not ended, by status',
      labelNames: ['status'],
    },
    {
      read: figures,
      show(gauge, { submissions }) {
        for (const [status, count] of Object.entries(submissions)) gauge.set({ status }, count);
      },
    },
  );
  figure(
    'package_import_regulator_slots_held',
    'Slots for calls to the regulator that are in use (limit: REGULATOR_CONCURRENCY)',
    ({ regulatorSlots }) => regulatorSlots,
  );
  gaugeOf(
    registry,
    { name: 'package_import_stored_bytes', help: 'Size of the stored ZIPs and attachments' },
    {
      read: shared(sources.stored, STORED_FRESH_MS),
      show: (gauge, { bytes }) => gauge.set(bytes),
    },
  );
  gaugeOf(
    registry,
    { name: 'package_import_workers', help: 'Running worker processes, by role', labelNames: ['role'] },
    {
      read: workers,
      show(gauge, counts) {
        for (const [role, count] of Object.entries(counts)) gauge.set({ role }, count);
      },
    },
  );
  perQueue(
    'package_import_task_queue_backlog',
    'Tasks that wait for a worker, as estimated by Temporal',
    ({ tasks }) => tasks,
  );
  perQueue(
    'package_import_task_queue_backlog_age_seconds',
    'Age of the oldest task that waits for a worker',
    ({ ageS }) => ageS,
  );
}
