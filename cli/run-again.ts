/** Runs submissions again, with a progress bar and retries: the whole rest of an import, or selected ones. */
import { pause, type Retry } from '../src/common/retrying.ts';
import { count } from '../src/common/text.ts';
import { GREATEST_PAGE } from '../src/contract/limits.ts';
import { QUEUE_STATUS } from '../src/contract/statuses.ts';
import type { Submission } from '../src/contract/types.ts';
import { ApiError, isRateLimited, isTemporary } from './client/errors.ts';
import { packageImportsOf } from './client/package-imports.ts';
import type { Context } from './context.ts';
import { Hinted } from './outcome.ts';

/** Result of a repeated run of one submission. */
export interface RunResult {
  submission_id: number;
  product_id: string;
  status: number;
  message: string;
}

/** Pause between two polls for further results. */
const LOOK_MS = 500;

/**
 * Runs everything that failed or was not queued. The service continues without this command, and a repeated call
 * joins the same retry.
 *
 * @throws Hinted, with the results so far, when the gateway stays unreachable
 */
export async function runLeft(context: Context, id: number): Promise<RunResult[]> {
  const { progress } = context;
  const client = context.client.withRetries();
  const results: RunResult[] = [];
  let begun = false;
  try {
    let { data } = await client.call('postImportRetry', { params: { id }, query: { limit: GREATEST_PAGE } });
    begun = true;
    for (;;) {
      results.push(...data.results);
      const done = data.queued_count + data.failed_count;
      const total = done + data.pending_count;
      if (total > 0) progress.queuing({ total, done });
      const after = data.next_after;
      if (after === null) return results;
      if (data.results.length === 0) await pause(LOOK_MS, client.signal);
      ({ data } = await client.call('getImportRetry', {
        params: { id },
        query: { after, limit: GREATEST_PAGE },
      }));
    }
  } catch (error) {
    if (!begun) throw error;
    const hint = 'The service continues the retry. Repeat the command to see its results.';
    throw new Hinted(error, hint, { results });
  } finally {
    progress.end();
  }
}

/**
 * Runs submissions one after the other, and retries during outages. A queued submission cannot be run again, so a
 * repeated command continues with the rest.
 *
 * @throws Hinted, with the submissions queued so far, when the gateway stays unreachable or refuses
 */
export async function runEach(context: Context, chosen: readonly Submission[]): Promise<RunResult[]> {
  const { progress } = context;
  const results: RunResult[] = [];
  try {
    for (const submission of chosen) {
      progress.queuing({ total: chosen.length, done: results.length });
      results.push(await runAgain(context, submission));
    }
    if (chosen.length > 0) progress.queuing({ total: chosen.length, done: results.length });
    return results;
  } catch (error) {
    const queued = results.filter(({ status }) => status === QUEUE_STATUS.queued).length;
    const hint = `${queued} of ${count(chosen.length, 'submission')} queued. Repeat the command to queue the rest.`;
    throw new Hinted(error, hint, { results });
  } finally {
    progress.end();
  }
}

/** A failure of one submission does not prevent the others from running. */
async function runAgain(context: Context, { id, product_id }: Submission): Promise<RunResult> {
  const result = { submission_id: id, product_id };
  let lost = false;
  const onRetry = (retry: Retry) => {
    lost ||= !isRateLimited(retry.error);
    context.client.onRetry?.(retry);
  };
  const client = context.client.withRetries({ isWorthRetrying: hasNotArrived, onRetry });
  try {
    const { status, message } = await packageImportsOf(client).runInsert(id);
    // The conflicting run may have been started by an attempt whose answer was lost.
    const isOurs = lost && status === QUEUE_STATUS.alreadyQueued && (await isUnderWay(context, id));
    return { ...result, status: isOurs ? QUEUE_STATUS.queued : status, message };
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 500].includes(error.status)) throw error;
    return { ...result, status: error.status, message: error.message };
  }
}

async function isUnderWay({ client }: Context, id: number): Promise<boolean> {
  const { data } = await client.call('getSubmission', { params: { id } });
  return data.status === 'regulator_inserting' || data.status === 'regulator_inserted';
}

/** Errors of the service itself concern one submission and become its result. */
function hasNotArrived(error: unknown): boolean {
  return isTemporary(error) && !(error instanceof ApiError && error.status === 500);
}
