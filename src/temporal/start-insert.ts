/** Starts the insert of a submission for a retry of the submission or of its import. */
import type { InsertOfImport } from '../domain/insert-start.ts';
import {
  alreadyQueued,
  notStarted,
  OTHERS_IN_THE_WAY,
  type QueueResult,
  queued,
  START_TRIES,
} from '../domain/queue.ts';
import type { InsertWorkflows } from './insert-workflows.ts';
import type { LookAtRunsInTheWay } from './run-in-the-way.ts';

/** Records started runs. */
export interface ExpectedRuns {
  expect(submissionId: number, runId: string, actor: string): Promise<void>;
}

/**
 * Starts the insert, or returns the run in the way, as for a queued package.
 *
 * @param actor requester, as in the audit trail
 * @param tried whether an earlier try may have started it without recording that: a run of the same submission then
 *   counts as started by it
 */
export type StartInsert = (insert: InsertOfImport, actor: string, tried?: boolean) => Promise<QueueResult>;

export function createStartInsert(
  insertWorkflows: Pick<InsertWorkflows, 'start'>,
  lookAtRunsInTheWay: LookAtRunsInTheWay,
  insertRuns: ExpectedRuns,
): StartInsert {
  return async (insert, actor, tried = false) => {
    const { submissionId } = insert;
    const expected = async (runId: string) => {
      await insertRuns.expect(submissionId, runId, actor);
      return queued(submissionId, runId);
    };
    for (let tries = 1; tries <= START_TRIES; tries += 1) {
      const started = await insertWorkflows.start(insert);
      if (started) return expected(started.runId);
      const [inTheWay] = await lookAtRunsInTheWay([insert]);
      if (!inTheWay || inTheWay.kind === 'closed') continue;
      if (inTheWay.kind === 'own' && tried) return expected(inTheWay.runId);
      return alreadyQueued(submissionId, inTheWay.runId, inTheWay.jobState);
    }
    return notStarted(submissionId, `${OTHERS_IN_THE_WAY} Try again.`);
  };
}
