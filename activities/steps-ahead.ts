/**
 * Cache of the next step's data. The statement that completes a step or begins a run also loads that data. It is kept
 * until that step begins, in this process and for this run. Without a cache entry the step queries the database.
 */
import { LRUCache } from 'lru-cache';
import type { InsertStep } from '../src/contract/steps.ts';
import type { BegunStep, StepSubmission } from '../src/database/repositories/insert-steps.ts';

/** A local step begins within milliseconds. A step that became an activity may begin in another process. */
const KEPT_MS = 2_000;
/** Limit of entries: many times the concurrent runs of one process. */
const MOST = 200;

export type StepsAhead = ReturnType<typeof createStepsAhead>;

export function createStepsAhead() {
  const kept = new LRUCache<string, BegunStep>({ max: MOST, ttl: KEPT_MS });
  return {
    keep(runId: string, next: BegunStep): void {
      kept.set(runId, next);
    },

    /** Returns an entry once: a second try of the step queries the database. */
    take(runId: string, step: InsertStep): StepSubmission | null {
      const next = kept.get(runId);
      kept.delete(runId);
      return next?.step === step ? next.submission : null;
    },
  };
}
