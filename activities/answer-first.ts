/**
 * Delays the inserts of an import until its upload has its answer. Otherwise the first inserts take time from the
 * server that starts the others (decision §answer-first).
 */
import { Context } from '@temporalio/activity';
import type { InsertDependencies } from './dependencies.ts';

/** Longest wait of an insert. A large import takes longer to queue: its inserts then begin before the answer. */
const LONGEST_WAIT_MS = 15_000;
/**
 * Longest wait while inserts of other imports run. A waiting insert occupies a place of the worker that other inserts
 * need.
 */
const WAIT_BEFORE_OTHERS_MS = 3_000;
const POLL_MS = 50;

/** Waits until the import of a submission is queued, or until the longest wait is over. */
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
