/**
 * Completing a step, or beginning a run, brings what the next step needs in the same statement. It is kept here for the
 * moment until that one begins, in this process and for this run; whoever does not find it asks the database.
 */
import { LRUCache } from 'lru-cache';
import type { InsertStep } from '../src/contract/steps.ts';
import type { BegunStep, StepSubmission } from '../src/database/repositories/insert-steps.ts';

/** The next local step begins within milliseconds; one that became an activity may begin anywhere. */
const KEPT_MS = 2_000;
/** Runs under way at the same time in one process, many times over. */
const MOST = 200;

export type StepsAhead = ReturnType<typeof createStepsAhead>;

export function createStepsAhead() {
  const kept = new LRUCache<string, BegunStep>({ max: MOST, ttl: KEPT_MS });
  return {
    keep(runId: string, next: BegunStep): void {
      kept.set(runId, next);
    },

    /** Once: a second try of the step has to look again. */
    take(runId: string, step: InsertStep): StepSubmission | null {
      const next = kept.get(runId);
      kept.delete(runId);
      return next?.step === step ? next.submission : null;
    },
  };
}
