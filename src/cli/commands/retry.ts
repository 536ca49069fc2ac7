/** `retry`: runs what can be run again of an import. */
import type { Command } from 'commander';
import { ApiError, isTemporary } from '../../client/errors.ts';
import { packageImportsOf } from '../../client/package-imports.ts';
import { retrying } from '../../client/retrying.ts';
import { QUEUE_STATUS } from '../../domain/queue.ts';
import { INSERT_PROCESS } from '../../domain/submission.ts';
import { count } from '../../domain/text.ts';
import type { ImportReportJson } from '../../gateway/schemas/package-import.ts';
import type { SubmissionJson } from '../../gateway/schemas/submission.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { importText, isGood } from '../import-text.ts';
import { EXIT, Hinted, type Outcome, UsageError } from '../outcome.ts';
import { tableOf } from '../table.ts';
import { waitForImport } from '../wait.ts';

interface RetryOptions {
  submission?: number[];
  wait?: boolean;
}

/** What came of running one submission. */
interface RunResult {
  submission_id: number;
  product_id: string;
  status: number;
  message: string;
}

export function addRetryCommand(program: Command, act: Act): void {
  program
    .command('retry')
    .argument('<import-id>', 'the import', identifier)
    .description('run again what failed or was not queued')
    .option('--submission <id...>', 'only these submissions', (text: string, earlier: number[] = []) => [
      ...earlier,
      identifier(text),
    ])
    .option('--wait', 'until everything has ended')
    .action(act(retry));
}

async function retry(context: Context, id: number, options: RetryOptions): Promise<Outcome> {
  const { data: report } = await packageImportsOf(context.client).report(id);
  const chosen = runnable(report, options.submission);
  const results = await runAll(context, id, chosen);
  const queued = results.filter(({ status }) => status === QUEUE_STATUS.queued).length;
  const message =
    results.length === 0
      ? `There is nothing to run again in import ${id}.`
      : `${queued} of ${count(results.length, 'submission')} queued.`;
  const text = [...(results.length > 0 ? [resultTable(results, context.width)] : []), message];
  const queuedAll = queued === results.length ? EXIT.ok : EXIT.productsFailed;
  if (!options.wait || queued === 0)
    return {
      json: { status: 'success', message, data: { results } },
      text: text.join('\n'),
      exitCode: queuedAll,
    };
  context.progress.note(message);
  const after = await waitForImport(context, id);
  return {
    json: { status: 'success', message, data: { results, import: after } },
    text: [...text, importText(after, context.width)].join('\n'),
    exitCode: queuedAll === EXIT.ok && haveSucceeded(chosen, after) ? EXIT.ok : EXIT.productsFailed,
  };
}

function haveSucceeded(chosen: readonly SubmissionJson[], after: ImportReportJson): boolean {
  const ended = after.submissions.filter(({ id }) => chosen.some((one) => one.id === id));
  return isGood({ ...after, submissions: ended, zip_import: { ...after.zip_import, failed: [] } });
}

/**
 * One after the other, through outages. What has been queued can no longer be run: the same command, given again,
 * goes on with the rest.
 *
 * @throws Hinted, with what has been queued, when the gateway stays away or refuses
 */
async function runAll(context: Context, id: number, chosen: readonly SubmissionJson[]): Promise<RunResult[]> {
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
    const hint = `${queued} of ${count(chosen.length, 'submission')} queued. To go on with the rest: the same command again, package-import retry ${id}`;
    throw new Hinted(error, hint, { results });
  } finally {
    progress.end();
  }
}

/** @throws UsageError for a submission that is not of this import, or cannot be run */
function runnable(
  { id, submissions }: ImportReportJson,
  only: readonly number[] | undefined,
): SubmissionJson[] {
  const canRun = ({ actions }: SubmissionJson) => actions.includes(INSERT_PROCESS);
  if (!only) return submissions.filter(canRun);
  return [...new Set(only)].map((wanted) => {
    const found = submissions.find((submission) => submission.id === wanted);
    if (!found) throw new UsageError(`Import ${id} has no submission ${wanted}.`);
    if (!canRun(found))
      throw new UsageError(`Submission ${wanted} cannot be run again: it is ${found.status}.`);
    return found;
  });
}

/** What is wrong with one submission keeps none of the others from being run. */
async function runAgain(context: Context, { id, product_id }: SubmissionJson): Promise<RunResult> {
  const { client, onRetry, retries } = context;
  const result = { submission_id: id, product_id };
  let lost = false;
  try {
    const { status, message } = await retrying(() => packageImportsOf(client).runInsert(id), {
      ...{ ...retries, signal: client.signal, isWorthRetrying: hasNotArrived },
      onRetry(retry) {
        lost = true;
        onRetry(retry);
      },
    });
    // Perhaps the run in the way is the one that a try has started whose answer was lost.
    const isOurs = lost && status === QUEUE_STATUS.alreadyQueued && (await isUnderWay(context, id));
    return { ...result, status: isOurs ? QUEUE_STATUS.queued : status, message };
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 500].includes(error.status)) throw error;
    return { ...result, status: error.status, message: error.message };
  }
}

async function isUnderWay({ client }: Context, id: number): Promise<boolean> {
  const { data } = await packageImportsOf(client).submission(id);
  return data.status === 'regulator_inserting' || data.status === 'regulator_inserted';
}

/** Errors of the service itself are of one submission, and answered as such. */
function hasNotArrived(error: unknown): boolean {
  return isTemporary(error) && !(error instanceof ApiError && error.status === 500);
}

function resultTable(results: readonly RunResult[], width: number | undefined): string {
  const rows = results.map(({ submission_id, product_id, status, message }) => [
    String(submission_id),
    product_id,
    status === QUEUE_STATUS.queued ? 'queued' : `not queued (${status})`,
    message,
  ]);
  return tableOf(['Submission', 'Product', 'Result', 'Details'], rows, width);
}
