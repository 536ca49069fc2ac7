/** The look at the runs that keep inserts from being started: for imports that queue, and for a single action. */
import type { InsertToStart } from '../domain/insert-start.ts';
import type { RunInTheWay } from '../domain/queue.ts';
import type { InsertStep } from '../domain/steps.ts';
import type { InsertWorkflows } from './insert-workflows.ts';

/** What is known of submissions by the runs that work on them; `currentStep` from its first step on. */
export interface WorkingSubmissions {
  findByJobIds(
    runIds: readonly string[],
  ): Promise<Map<string, { id: number; currentStep: InsertStep | null }>>;
}

/** One result for each insert, in their order. */
export type LookAtRunsInTheWay = (inserts: readonly InsertToStart[]) => Promise<RunInTheWay[]>;

/** Runs looked up at the same time. */
const LOOKUPS_AT_ONCE = 10;

/** Asks Temporal for each product, and the database once for all: a repeated upload has hundreds of runs in its way. */
export function createLookAtRunsInTheWay(
  insertWorkflows: Pick<InsertWorkflows, 'current'>,
  submissions: WorkingSubmissions,
): LookAtRunsInTheWay {
  return async (inserts) => {
    const runs: Awaited<ReturnType<InsertWorkflows['current']>>[] = [];
    for (let at = 0; at < inserts.length; at += LOOKUPS_AT_ONCE) {
      const some = inserts.slice(at, at + LOOKUPS_AT_ONCE);
      runs.push(...(await Promise.all(some.map(({ productId }) => insertWorkflows.current(productId)))));
    }
    const working = await submissions.findByJobIds(runs.flatMap((run) => (run?.running ? run.runId : [])));
    return inserts.map(({ submissionId }, index) => {
      const run = runs[index];
      if (!run?.running) return { submissionId, kind: 'closed' };
      const on = working.get(run.runId);
      const isOwn = (run.submissionId ?? on?.id) === submissionId;
      return {
        submissionId,
        kind: isOwn ? 'own' : 'other',
        runId: run.runId,
        jobState: on?.currentStep ? 'active' : 'waiting',
      };
    });
  };
}
