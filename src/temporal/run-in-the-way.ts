/** The look at the run that keeps an insert from being started: for imports that queue, and for a single action. */
import type { InsertToStart } from '../domain/insert-start.ts';
import type { RunInTheWay } from '../domain/queue.ts';
import type { InsertStep } from '../domain/steps.ts';
import type { InsertWorkflows } from './insert-workflows.ts';

/** What is known of submissions by the run that works on them; `currentStep` from its first step on. */
export interface WorkingSubmissions {
  findByJobId(runId: string): Promise<{ id: number; currentStep?: InsertStep | null | undefined } | null>;
}

export type LookAtRunInTheWay = (insert: InsertToStart) => Promise<RunInTheWay>;

export function createLookAtRunInTheWay(
  insertWorkflows: Pick<InsertWorkflows, 'current'>,
  submissions: WorkingSubmissions,
): LookAtRunInTheWay {
  return async ({ submissionId, productId }) => {
    const run = await insertWorkflows.current(productId);
    if (!run?.running) return { submissionId, kind: 'closed' };
    const working = await submissions.findByJobId(run.runId);
    const isOwn = (run.submissionId ?? working?.id) === submissionId;
    return {
      submissionId,
      kind: isOwn ? 'own' : 'other',
      runId: run.runId,
      jobState: working?.currentStep ? 'active' : 'waiting',
    };
  };
}
