/**
 * Adds the actor of a cancellation to reasons. The record of an import names the actor. Its workflows only know that
 * they are cancelled.
 */
import { plainReason } from '../src/contract/reasons.ts';
import type { Reason } from '../src/contract/types.ts';
import type { Database } from '../src/database/index.ts';
import {
  IMPORT_CANCELLED,
  INSERT_CANCELLED,
  importCancelled,
  insertCancelled,
  notStarted,
  type QueueResult,
} from '../src/domain/queue.ts';

/** The reasons of a failed insert. A cancelled import adds the actor of the cancellation. */
export async function reasonsOfInsert(
  { insertRuns }: { insertRuns: Pick<Database['insertRuns'], 'cancelledBy'> },
  submissionId: number,
  reasons: Reason[],
): Promise<Reason[]> {
  if (!reasons.some(({ text }) => text === INSERT_CANCELLED)) return reasons;
  return [plainReason(insertCancelled(await insertRuns.cancelledBy(submissionId)))];
}

/** The same for queue results of products that were not begun before the cancellation. */
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
