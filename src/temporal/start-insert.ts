/** Starts the insert of a submission for a retry of the submission or of its import. */
import type { Database } from '../database/index.ts';
import {
  alreadyQueued,
  CONFLICTING_INSERTS,
  type ConflictingRun,
  notStarted,
  type QueueResult,
  queued,
  START_ATTEMPTS,
} from '../domain/queue.ts';
import type { InsertOfImport, InsertToStart } from '../domain/start-options.ts';
import { hasEnded, type WorkingSubmission } from '../domain/submission.ts';
import type { InsertWorkflowRun, InsertWorkflows } from './insert-workflows.ts';

/**
 * Starts the insert, or returns the conflicting run, as for a queued package.
 *
 * @param actor requester, as in the audit trail
 * @param tried whether an earlier attempt may have started it without recording that: a run of the same submission then
 *   counts as started by it
 */
export type StartInsert = (insert: InsertOfImport, actor: string, tried?: boolean) => Promise<QueueResult>;

export function createStartInsert(
  insertWorkflows: Pick<InsertWorkflows, 'start'>,
  findConflictingRuns: FindConflictingRuns,
  insertRuns: Pick<Database['insertRuns'], 'recordStart'>,
): StartInsert {
  return async (insert, actor, tried = false) => {
    const { submissionId } = insert;
    const expected = async (runId: string) => {
      await insertRuns.recordStart(submissionId, runId, actor);
      return queued(submissionId, runId);
    };
    for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
      const started = await insertWorkflows.start(insert);
      if (started) return expected(started.runId);
      const [conflictingRun] = await findConflictingRuns([insert]);
      if (!conflictingRun || conflictingRun.kind === 'closed') continue;
      if (conflictingRun.kind === 'own' && tried) return expected(conflictingRun.runId);
      return alreadyQueued(submissionId, conflictingRun.runId, conflictingRun.jobState);
    }
    return notStarted(submissionId, `${CONFLICTING_INSERTS} Try again.`);
  };
}

/** One result for each insert, in their order. */
export type FindConflictingRuns = (inserts: readonly InsertToStart[]) => Promise<ConflictingRun[]>;

/** Runs that are looked up or waited for at the same time. */
const LOOKUPS_AT_ONCE = 10;

/**
 * Longest wait for the close of a run whose end is recorded. The close follows within milliseconds, on a busy machine
 * within a second. A client waits meanwhile.
 */
const LONGEST_CLOSE_MS = 5_000;

/**
 * Queries Temporal for each product, and the database once for all: a repeated upload has hundreds of conflicting runs.
 * The end of a submission is recorded before its run closes. For such a run the function waits for the close and then
 * queries again.
 */
export function createFindConflictingRuns(
  insertWorkflows: Pick<InsertWorkflows, 'current' | 'untilClosed'>,
  submissions: Pick<Database['submissions'], 'findByJobIds'>,
): FindConflictingRuns {
  return async (inserts) => {
    const looks = await look(inserts);
    const ending = looks.flatMap(({ insert, endingRunId }) =>
      endingRunId === null ? [] : { ...insert, runId: endingRunId },
    );
    const found = new Map(looks.map((one) => [one.insert.submissionId, one.found]));
    if (ending.length > 0) {
      const deadline = Date.now() + LONGEST_CLOSE_MS;
      await mapConcurrent(ending, ({ productId, runId }) =>
        insertWorkflows.untilClosed(productId, runId, deadline),
      );
      for (const again of await look(ending)) found.set(again.insert.submissionId, again.found);
    }
    return [...found.values()];
  };

  async function look(inserts: readonly InsertToStart[]) {
    const runs = await mapConcurrent(inserts, ({ productId }) => insertWorkflows.current(productId));
    const working = await submissions.findByJobIds(runs.flatMap((run) => (run?.running ? run.runId : [])));
    return inserts.map((insert, index) => {
      const run = runs[index] ?? null;
      const on = run?.running ? working.get(run.runId) : undefined;
      const endingRunId = run && on && hasEnded(on.status) ? run.runId : null;
      return { insert, found: conflictingRun(insert, run, on), endingRunId };
    });
  }
}

function conflictingRun(
  { submissionId }: InsertToStart,
  run: InsertWorkflowRun | null,
  on: WorkingSubmission | undefined,
): ConflictingRun {
  if (!run?.running) return { submissionId, kind: 'closed' };
  const isOwn = (run.submissionId ?? on?.id) === submissionId;
  return {
    submissionId,
    kind: isOwn ? 'own' : 'other',
    runId: run.runId,
    jobState: on?.currentStep ? 'active' : 'waiting',
  };
}

async function mapConcurrent<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += LOOKUPS_AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + LOOKUPS_AT_ONCE).map(ask))));
  return results;
}
