/** Who has cancelled: the record of an import knows it, its workflows know only that they are cancelled. */
import type { Database } from '../src/database/index.ts';
import {
  IMPORT_CANCELLED,
  INSERT_CANCELLED,
  importCancelled,
  insertCancelled,
  notStarted,
  type QueueResult,
} from '../src/domain/queue.ts';

/** The reason why an insert failed, with who has cancelled its import where that is the reason. */
export async function reasonOfInsert(
  { insertRuns }: { insertRuns: Pick<Database['insertRuns'], 'cancelledBy'> },
  submissionId: number,
  reason: string,
): Promise<string> {
  return reason === INSERT_CANCELLED ? insertCancelled(await insertRuns.cancelledBy(submissionId)) : reason;
}

/** The same of results: those of products that were not begun before the import was cancelled. */
export async function withCanceller(
  { imports }: { imports: Pick<Database['imports'], 'find'> },
  importId: number,
  results: QueueResult[],
): Promise<QueueResult[]> {
  const isCancelled = ({ submissionId, message }: QueueResult) =>
    message === notStarted(submissionId, IMPORT_CANCELLED).message;
  if (!results.some(isCancelled)) return results;
  const reason = importCancelled((await imports.find(importId))?.cancelledBy ?? null);
  return results.map((result) => (isCancelled(result) ? notStarted(result.submissionId, reason) : result));
}
