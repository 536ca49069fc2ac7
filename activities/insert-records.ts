/** The beginning and the end of a `regulator-insert` run, as statements in our own database. */
import type { InsertDecision } from '../src/database/repositories/insert-runs.ts';
import { StaleRun } from '../src/domain/errors.ts';
import { actor } from './actor.ts';
import { answerFirst } from './answer-first.ts';
import { reasonOfInsert } from './cancel-reasons.ts';
import type { InsertDependencies } from './dependencies.ts';
import type { StepsAhead } from './steps-ahead.ts';

interface Run {
  submissionId: number;
  runId: string;
}

/** @param ahead where the first step finds what the beginning of the run has brought along */
export function createInsertRecords({ database }: InsertDependencies, ahead: StepsAhead) {
  const { insertRuns } = database;
  return {
    /** The run's first act: writes its run id to the submission and learns what is left to do. */
    async beginInsert({ submissionId, runId }: Run): Promise<InsertDecision> {
      await answerFirst(database, submissionId);
      const { decision, begun } = await insertRuns.begin(submissionId, runId, actor());
      if (begun) ahead.keep(runId, begun);
      return decision;
    },

    /** @throws StaleRun when steps are left, which another run has to do */
    async finishInsert({ submissionId, runId }: Run): Promise<{ caseId: string | null }> {
      const caseId = await insertRuns.finish(submissionId, runId, actor());
      if (caseId === undefined)
        throw new StaleRun(`Steps of submission ${submissionId} are left to another run`);
      return { caseId };
    },

    /** Keeps the reason. Does nothing when another run has taken the submission over. */
    async failInsert({ submissionId, runId, reason }: Run & { reason: string }): Promise<void> {
      const why = await reasonOfInsert(database, submissionId, reason);
      await insertRuns.fail(submissionId, runId, why, actor());
    },
  };
}
