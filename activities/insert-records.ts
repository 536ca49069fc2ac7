/** Records the beginning and the end of a `regulator-insert` run: statements in our own database. */
import { LRUCache } from 'lru-cache';
import type { FailureCode } from '../src/contract/failures.ts';
import { plainReason } from '../src/contract/reasons.ts';
import type { InsertStep } from '../src/contract/steps.ts';
import type { Reason } from '../src/contract/types.ts';
import type { InsertDecision } from '../src/database/repositories/insert-runs.ts';
import type { BegunStep, StepSubmission } from '../src/database/step-data.ts';
import { DomainError } from '../src/domain/errors.ts';
import { INSERT_CANCELLED, insertCancelled } from '../src/domain/queue.ts';
import { actor } from './activity-context.ts';
import type { InsertDependencies } from './dependencies.ts';
import { answerFirst } from './insert-waits.ts';

/** A workflow run acts on a submission that now belongs to another run (decision §resets-are-normal). */
export class StaleRun extends DomainError {
  readonly permanent = true;
}

/** By the `type` of the failure in Temporal. */
const CODES_BY_TYPE: Readonly<Record<string, FailureCode>> = {
  RegulatorRejection: 'regulator_rejected',
  FileMissing: 'file_missing',
};

interface Run {
  submissionId: number;
  runId: string;
}

/** @param nextStep keeps the first step's data, which the beginning of the run has loaded */
export function createInsertRecords({ database }: InsertDependencies, nextStep: NextStepCache) {
  const { insertRuns } = database;
  return {
    /** First activity of a run: writes the run id to the submission and returns the steps that are left. */
    async beginInsert({ submissionId, runId }: Run): Promise<InsertDecision> {
      await answerFirst(database, submissionId);
      const { decision, begun } = await insertRuns.begin(submissionId, runId, actor());
      if (begun) nextStep.keep(runId, begun);
      return decision;
    },

    /** @throws StaleRun when steps are left, which another run has to execute */
    async finishInsert({ submissionId, runId }: Run): Promise<{ caseId: string | null }> {
      const caseId = await insertRuns.finish(submissionId, runId, actor());
      if (caseId === undefined)
        throw new StaleRun(`Another run executes the remaining steps of submission ${submissionId}`);
      return { caseId };
    },

    /**
     * Records the reasons. A cancelled import adds the actor of the cancellation. Does nothing after another run has
     * taken the submission over.
     *
     * @param failure.type of the failure in Temporal
     * @param failure.hasBegun false for a run that was cancelled before its beginning
     */
    async failInsert(failure: Run & { reasons: Reason[]; type: string; hasBegun: boolean }): Promise<void> {
      const { submissionId, runId, reasons, type, hasBegun } = failure;
      const isCancelled = reasons.some(({ text }) => text === INSERT_CANCELLED);
      const why = isCancelled
        ? [plainReason(insertCancelled(await insertRuns.cancelledBy(submissionId)))]
        : reasons;
      const code = isCancelled ? 'cancelled' : (CODES_BY_TYPE[type] ?? 'internal_error');
      await insertRuns.fail(submissionId, runId, why, actor(), { code, auditedReasons: reasons, hasBegun });
    },
  };
}

/** A local step begins within milliseconds. A step that became an activity may begin in another process. */
const KEPT_MS = 2_000;
/** Size of an entry without its section, roughly. */
const ENTRY_BYTES = 1_000;
/** Limit of all kept entries. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

export type NextStepCache = ReturnType<typeof createNextStepCache>;

/**
 * Cache of the next step's data. The statement that completes a step or begins a run also loads that data. It is kept
 * until that step begins, in this process and for this run. Without a cache entry the step queries the database.
 */
export function createNextStepCache() {
  const kept = new LRUCache<string, BegunStep>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ submission }) => ENTRY_BYTES + (submission.section?.length ?? 0),
    ttl: KEPT_MS,
  });
  return {
    keep(runId: string, next: BegunStep): void {
      kept.set(runId, next);
    },

    /** Returns an entry once: a second attempt of the step queries the database. */
    take(runId: string, step: InsertStep): StepSubmission | null {
      const next = kept.get(runId);
      kept.delete(runId);
      return next?.step === step ? next.submission : null;
    },
  };
}
