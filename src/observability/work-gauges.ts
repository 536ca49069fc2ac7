/**
 * How much there is to do in the whole service. Every gateway shows the same: queries take the greatest, never the sum.
 */
import { LRUCache } from 'lru-cache';
import { Gauge, type Registry } from 'prom-client';
import type { StatusCounts } from '../domain/submission.ts';
import type { Backlog } from '../temporal/backlog.ts';

/** However many scrape, the database and Temporal are asked once in so long. */
const FRESH_MS = 5_000;

interface Figures {
  unfinishedImports: number;
  oldestUnfinishedS: number;
  submissions: StatusCounts;
  regulatorSlots: number;
}

export interface WorkSources {
  /** @throws when the database is away */
  figures(): Promise<Figures>;
  /** @throws when Temporal is away */
  backlogs(): Promise<Backlog[]>;
}

/** Gauges are absent while what they are read from is away: a stale number would look like a fact. */
export function measureWork(registry: Registry, sources: WorkSources): void {
  const figures = fresh(sources.figures);
  const backlogs = fresh(sources.backlogs);

  function gauge<T>(
    name: string,
    help: string,
    labelNames: string[],
    read: () => Promise<T | null>,
    show: (gauge: Gauge, value: T) => void,
  ): void {
    new Gauge({
      name,
      help,
      // Only a gauge that may have labels shows nothing when it is reset, instead of 0.
      labelNames: labelNames.length > 0 ? labelNames : ['none'],
      registers: [registry],
      async collect() {
        this.reset();
        const value = await read();
        if (value !== null) show(this, value);
      },
    });
  }

  gauge('package_import_imports_unfinished', 'Imports that have not ended', [], figures, (shown, seen) =>
    shown.set(seen.unfinishedImports),
  );
  gauge(
    'package_import_oldest_unfinished_import_seconds',
    'How long ago the oldest import that has not ended was uploaded',
    [],
    figures,
    (shown, seen) => shown.set(seen.oldestUnfinishedS),
  );
  gauge(
    'package_import_submissions',
    'Submissions of imports that have not ended, by status',
    ['status'],
    figures,
    (shown, seen) => {
      for (const [status, count] of Object.entries(seen.submissions)) shown.set({ status }, count);
    },
  );
  gauge(
    'package_import_regulator_slots_held',
    'Slots for calls to the regulator that workers hold (REGULATOR_CONCURRENCY)',
    [],
    figures,
    (shown, seen) => shown.set(seen.regulatorSlots),
  );
  gauge(
    'package_import_task_queue_backlog',
    'Tasks that wait for a worker, as Temporal estimates them',
    ['task_queue', 'task_type'],
    backlogs,
    (shown, seen) => {
      for (const { taskQueue, taskType, tasks } of seen)
        shown.set({ task_queue: taskQueue, task_type: taskType }, tasks);
    },
  );
  gauge(
    'package_import_task_queue_backlog_age_seconds',
    'How long the oldest of these tasks has waited',
    ['task_queue', 'task_type'],
    backlogs,
    (shown, seen) => {
      for (const { taskQueue, taskType, ageS } of seen)
        shown.set({ task_queue: taskQueue, task_type: taskType }, ageS);
    },
  );
}

/** Null while it fails. */
function fresh<T extends object>(read: () => Promise<T>): () => Promise<T | null> {
  const cache = new LRUCache<'only', T>({ max: 1, ttl: FRESH_MS, fetchMethod: read });
  return async () => (await cache.fetch('only').catch(() => null)) ?? null;
}
