/** Running again what is left of an import, some products at a time (decision §retries-are-recorded). */
import { Context } from '@temporalio/activity';
import type { RetryCounts, ToRetry } from '../src/database/repositories/import-retries.ts';
import { clientActor } from '../src/domain/actors.ts';
import { DomainError } from '../src/domain/errors.ts';
import { turnOfClient, turnOfInserts } from '../src/domain/fair-turns.ts';
import { alreadyQueued, notStarted, type QueueResult, queued } from '../src/domain/queue.ts';
import type { ImportDependencies } from './dependencies.ts';
import { heartbeating } from './heartbeating.ts';

/** Products of one activity; more would make a try that is lost with its process costly. */
const PAGE = 100;
/** Started at the same time; their results are recorded together. */
const AT_ONCE = 10;
/** What cannot be started in so many tries of a page is left, so that it does not hold up the rest for ever. */
const TRIES = 10;

const NO_SUBMITTERS = null;

export function createRetryProducts({ database, startInsert }: ImportDependencies) {
  /** Every result is recorded before further products are begun: a try that is lost repeats ten at the most, and a retry that is given up stops within ten. */
  return async function retryProducts(args: { importId: number; retryUuid: string }): Promise<RetryCounts> {
    const { importId, retryUuid } = args;
    const retry = await database.importRetries.open(retryUuid);
    if (!retry) return { ...(await progressOf(importId)), pending: 0 };
    const before = await progressOf(importId);
    const { fairnessKey } = turnOfClient(retry.clientId).priority;
    const turn = turnOfInserts(fairnessKey, before.queued + before.failed + before.pending);
    const start = ({ submissionId, productId, tried }: ToRetry) =>
      startInsert({ importId, submissionId, productId, turn }, clientActor(retry.clientId), tried);
    await heartbeating(async (report) => {
      const page = await database.importRetries.take(retryUuid, PAGE);
      for (let at = 0; at < page.length; at += AT_ONCE) {
        Context.current().cancellationSignal.throwIfAborted();
        // Given up meanwhile, with its import.
        if (!(await database.importRetries.open(retryUuid))) break;
        const some = page.slice(at, at + AT_ONCE);
        const settled = await Promise.allSettled(some.map((one) => known(one) ?? start(one)));
        await database.importRetries.recordResults(retryUuid, resultsOf(some, settled));
        report(at + some.length);
        const failure = settled.find(({ status }) => status === 'rejected');
        if (failure?.status === 'rejected' && !isGivenUp(failure.reason)) throw failure.reason;
      }
    });
    const progress = await progressOf(importId);
    if (progress.pending === 0) await database.importRetries.end(retryUuid);
    return progress;
  };

  function progressOf(importId: number): Promise<RetryCounts> {
    return database.importRetries.counts({ importId, submitters: NO_SUBMITTERS });
  }
}

/** The result of one that need not be started any more: by an earlier try of ours, or by somebody else meanwhile. */
function known({ submissionId, status, jobId, tried }: ToRetry): QueueResult | null {
  const isRun = status === 'regulator_inserting' || status === 'regulator_inserted';
  if (!isRun || jobId === null) return null;
  return tried ? queued(submissionId, jobId) : alreadyQueued(submissionId, jobId, 'active');
}

/** What could not be started has none and is tried again, unless it was tried often enough. */
function resultsOf(tried: ToRetry[], settled: PromiseSettledResult<QueueResult>[]): QueueResult[] {
  return settled.flatMap((outcome, index) => {
    if (outcome.status === 'fulfilled') return outcome.value;
    const submissionId = tried[index]?.submissionId;
    const reason = 'Something on our side has failed. Run it again.';
    return isGivenUp(outcome.reason) && submissionId !== undefined ? notStarted(submissionId, reason) : [];
  });
}

/** Whether trying once more is not worth it. */
function isGivenUp(failure: unknown): boolean {
  const cannotHelp = failure instanceof DomainError && failure.permanent;
  return cannotHelp || Context.current().info.attempt >= TRIES;
}
