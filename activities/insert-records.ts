/** Records the beginning and the end of a `regulator-insert` run: statements in our own database. */
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

/** @param ahead keeps the first step's data, which the beginning of the run has loaded */
export function createInsertRecords({ database }: InsertDependencies, ahead: StepsAhead) {
  const { insertRuns } = database;
  return {
    /** First activity of a run: writes the run id to the submission and returns the steps that are left. */
    async beginInsert({ submissionId, runId }: Run): Promise<InsertDecision> {
      await answerFirst(database, submissionId);
      const { decision, begun } = await insertRuns.begin(submissionId, runId, actor());
      if (begun) ahead.keep(runId, begun);
      return decision;
    },

    /** @throws StaleRun when steps are left, which another run has to execute */
    async finishInsert({ submissionId, runId }: Run): Promise<{ caseId: string | null }> {
      const caseId = await insertRuns.finish(submissionId, runId, actor());
      if (caseId === undefined)
        throw new StaleRun(`Steps of submission ${submissionId} are left to another run`);
      return { caseId };
    },

    /** Records the reason. Does nothing after another run has taken the submission over. */
    async failInsert({ submissionId, runId, reason }: Run & { reason: string }): Promise<void> {
      const why = await reasonOfInsert(database, submissionId, reason);
      await insertRuns.fail(submissionId, runId, why, actor());
    },
  };
}
