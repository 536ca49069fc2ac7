/** A run over the failed products of many imports, one import after the other (decision §retries-are-recorded). */
import {
  CancellationScope,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  sleep,
  upsertMemo,
  uuid4,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  FailuresAction,
  FailuresDone,
  FailuresRunInput,
  FailuresRunMemo,
} from '../src/domain/failures-run.ts';
import { nextPause } from '../src/domain/pauses.ts';
import { actOnNextImport, records } from './activity-proxies.ts';
import { activityResult } from './failures.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Retries or cancels what matches, import by import. Its memo has the progress. */
export async function failuresRun(input: FailuresRunInput): Promise<FailuresDone> {
  let done = input.done ?? { after: 0, imports: 0, products: 0 };
  for (;;) {
    const next = await actOnNext(input, done.after);
    if (next === null) return done;
    // The retry of another request may lack some of the products: the import is next again.
    if (next.retry?.isOurs === false) continue;
    const products = done.products + next.products;
    done = { after: next.importId, imports: done.imports + 1, products };
    upsertMemo({ done_imports: done.imports, done_products: products } satisfies Partial<FailuresRunMemo>);
    setCurrentDetails(`${done.imports} imports done, ${products} products.`);
    const { continueAsNewSuggested, memo = {} } = workflowInfo();
    // By default Temporal gives the new run the memo of the start.
    if (continueAsNewSuggested) await makeContinueAsNewFunc<typeof failuresRun>({ memo })({ ...input, done });
  }
}

/**
 * Acts on the next import to its end. A stopped run gives up the retry that it has begun, also in an attempt that
 * failed.
 */
async function actOnNext(input: FailuresRunInput, after: number) {
  const retryUuid = uuid4();
  try {
    const next = await activityResult(actOnNextImport(input, after, retryUuid));
    return next && { ...next, products: await productsOf(next) };
  } catch (error) {
    if (isCancellation(error))
      await CancellationScope.nonCancellable(() => records.giveUpRetry({ retryUuid }));
    throw error;
  }
}

/** Waits for the end of the import's retry, without the place of an activity: retries of other imports need it. */
async function productsOf({ importId, cancelled, retry }: FailuresAction): Promise<number> {
  if (retry === null) return cancelled;
  const began = Date.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = nextPause(pauseMs, Date.now() - began, LONGEST_PAUSE_MS)) {
    const queued = await records.queuedByRetry({ importId, retryUuid: retry.retryUuid });
    if (queued !== null) return queued;
    await sleep(pauseMs);
  }
}
