/**
 * Inserts of an import begin when its upload has its answer: otherwise the first ones take the time of the server that is to
 * start the others (architecture §answer-first).
 */
import { Context } from '@temporalio/activity';
import type { InsertDependencies } from './dependencies.ts';

/** A large import takes longer to queue: its inserts go on then, a few at a time. */
const LONGEST_WAIT_MS = 3_000;
const POLL_MS = 50;

/** Waits until the import of a submission is queued, but never for long. */
export async function answerFirst(
  { unansweredImports }: Pick<InsertDependencies['database'], 'unansweredImports'>,
  submissionId: number,
): Promise<void> {
  if ((await unansweredImports.lately()).size === 0) return;
  const importId = await unansweredImports.importOf(submissionId);
  if (importId === null) return;
  const goOnAt = performance.now() + LONGEST_WAIT_MS;
  while ((await unansweredImports.lately()).has(importId) && performance.now() < goOnAt)
    await Context.current().sleep(POLL_MS);
}
