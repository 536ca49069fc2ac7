/**
 * Completing a step brings what the next one needs in the same statement. It is kept here for the moment until that one
 * begins, in this process and for this run; whoever does not find it asks the database.
 */
import { LRUCache } from 'lru-cache';
import type { CompletedStep, StepSubmission } from '../src/database/repositories/insert-steps.ts';
import type { InsertStep } from '../src/domain/steps.ts';

type Next = Extract<CompletedStep, { kind: 'next' }>;

/** The next local step begins within milliseconds; one that became an activity may begin anywhere. */
const KEPT_MS = 2_000;
/** Runs under way at the same time in one process, many times over. */
const MOST = 200;

export function createStepsAhead() {
  const kept = new LRUCache<string, Next>({ max: MOST, ttl: KEPT_MS });
  return {
    keep(runId: string, next: Next): void {
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
