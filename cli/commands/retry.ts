/** `retry`: runs the failed or unqueued submissions of an import again. `cancel`: ends a running import. */
import type { Command } from 'commander';
import { count } from '../../src/common/text.ts';
import { INSERT_PROCESS, QUEUE_STATUS } from '../../src/contract/statuses.ts';
import type { ImportReport, Submission } from '../../src/contract/types.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { importText, isGood } from '../import-text.ts';
import { EXIT, type Outcome, success, UsageError } from '../outcome.ts';
import { type RunResult, runEach, runLeft } from '../run-again.ts';
import { tableOf } from '../screen.ts';
import { waitForImport } from '../wait.ts';

interface RetryOptions {
  submission?: number[];
  wait?: boolean;
}

export function addRetryCommand(program: Command, act: Act): void {
  program
    .command('retry')
    .argument('<import-id>', 'id of the import', identifier)
    .description('retry the products that failed or were not queued')
    .option(
      '--submission <id...>',
      'retry only these submissions',
      (text: string, earlier: number[] = []) => [...earlier, identifier(text)],
    )
    .option('--wait', 'wait until the import has ended')
    .action(act(retry));
}

async function retry(context: Context, id: number, options: RetryOptions): Promise<Outcome> {
  const results = options.submission
    ? await runEach(context, await runnable(context, id, options.submission))
    : await runLeft(context, id);
  const queued = results.filter(({ status }) => status === QUEUE_STATUS.queued).length;
  const message =
    results.length === 0
      ? `Import ${id} has nothing to retry.`
      : `${queued} of ${count(results.length, 'submission')} queued.`;
  const text = [...(results.length > 0 ? [resultTable(results, context.width)] : []), message];
  const queuedAll = queued === results.length ? EXIT.ok : EXIT.productsFailed;
  if (!options.wait || queued === 0)
    return success({ message, data: { results } }, text.join('\n'), queuedAll);
  context.progress.note(message);
  const after = await waitForImport(context, id);
  return success(
    { message, data: { results, import: after } },
    [...text, importText(after, context.width)].join('\n'),
    queuedAll === EXIT.ok && haveSucceeded(results, after) ? EXIT.ok : EXIT.productsFailed,
  );
}

function haveSucceeded(results: readonly RunResult[], after: ImportReport): boolean {
  const run = new Set(results.map(({ submission_id }) => submission_id));
  const ended = after.submissions.filter(({ id }) => run.has(id));
  // Ignores the status of the import: an earlier cancellation does not concern this run.
  return isGood({
    ...after,
    status: 'completed',
    submissions: ended,
    zip_import: { ...after.zip_import, failed: [] },
  });
}

/** @throws UsageError for a submission that is not of this import, or cannot be run */
async function runnable({ imports }: Context, id: number, only: readonly number[]): Promise<Submission[]> {
  const { submissions } = (await imports.report(id)).data;
  return [...new Set(only)].map((wanted) => {
    const found = submissions.find((submission) => submission.id === wanted);
    if (!found) throw new UsageError(`Import ${id} has no submission ${wanted}.`);
    if (!found.actions.includes(INSERT_PROCESS))
      throw new UsageError(`Submission ${wanted} cannot be retried: its status is ${found.status}.`);
    return found;
  });
}

function resultTable(results: readonly RunResult[], width: number | undefined): string {
  const rows = results.map(({ submission_id, product_id, status, message }) => [
    submission_id,
    product_id,
    status === QUEUE_STATUS.queued ? 'queued' : `not queued (${status})`,
    message,
  ]);
  return tableOf(['Submission', 'Product', 'Result', 'Details'], rows, width);
}

export function addCancelCommand(program: Command, act: Act): void {
  program
    .command('cancel')
    .argument('<import-id>', 'id of the import', identifier)
    .description('cancel a running import; inserted products stay')
    .option('--wait', 'wait until the import has ended')
    .action(act(cancel));
}

async function cancel(context: Context, id: number, { wait }: { wait?: boolean }): Promise<Outcome> {
  const { message, data } = await context.client.call('postImportCancellation', { params: { id } });
  if (!wait) return success({ message, data });
  context.progress.note(message);
  const after = await waitForImport(context, id);
  return success({ message, data: after }, importText(after, context.width));
}
