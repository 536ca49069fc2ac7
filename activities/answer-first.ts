/**
 * Inserts of an import begin when its upload has its answer: otherwise the first ones take the time of the server that is to
 * start the others (decision §answer-first).
 */
import { Context } from '@temporalio/activity';
import type { InsertDependencies } from './dependencies.ts';

/** A large import takes longer to queue: its inserts go on then, a few at a time. */
const LONGEST_WAIT_MS = 15_000;
/** Those that wait hold places of a worker, which others want. */
const WAIT_BEFORE_OTHERS_MS = 3_000;
const POLL_MS = 50;

/** Waits until the import of a submission is queued, but never for long, least of all where others are being inserted. */
export async function answerFirst(
  { unansweredImports }: Pick<InsertDependencies['database'], 'unansweredImports'>,
  submissionId: number,
): Promise<void> {
  if ((await unansweredImports.lately()).ids.size === 0) return;
  const importId = await unansweredImports.importOf(submissionId);
  if (importId === null) return;
  const begun = performance.now();
  for (;;) {
    const { ids, othersInsert } = await unansweredImports.lately();
    const longest = othersInsert ? WAIT_BEFORE_OTHERS_MS : LONGEST_WAIT_MS;
    if (!ids.has(importId) || performance.now() - begun >= longest) return;
    await Context.current().sleep(POLL_MS);
  }
}
