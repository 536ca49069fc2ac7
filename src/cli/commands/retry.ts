/** `retry`: runs what can be run again of an import. */
import type { Command } from 'commander';
import { ApiError } from '../../client/errors.ts';
import { packageImportsOf } from '../../client/package-imports.ts';
import { QUEUE_STATUS } from '../../domain/queue.ts';
import { INSERT_PROCESS } from '../../domain/submission.ts';
import { count } from '../../domain/text.ts';
import type { ImportReportJson } from '../../gateway/schemas/package-import.ts';
import type { SubmissionJson } from '../../gateway/schemas/submission.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { importText, isGood } from '../import-text.ts';
import { type Outcome, UsageError } from '../outcome.ts';
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
  const results: RunResult[] = [];
  for (const submission of chosen) results.push(await runAgain(context, submission));
  const queued = results.filter(({ status }) => status === QUEUE_STATUS.queued).length;
  const allQueued = queued === results.length;
  const message =
    results.length === 0
      ? `There is nothing to run again in import ${id}.`
      : `${queued} of ${count(results.length, 'submission')} queued.`;
  const text = [...(results.length > 0 ? [resultTable(results, context.width)] : []), message];
  if (!options.wait || queued === 0)
    return { json: { status: 'success', message, data: { results } }, text: text.join('\n'), ok: allQueued };
  context.progress.note(message);
  const after = await waitForImport(context, id);
  const ended = after.submissions.filter(({ id }) => chosen.some((one) => one.id === id));
  return {
    json: { status: 'success', message, data: { results, import: after } },
    text: [...text, importText(after, context.width)].join('\n'),
    ok:
      allQueued && isGood({ ...after, submissions: ended, zip_import: { ...after.zip_import, failed: [] } }),
  };
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
async function runAgain({ client }: Context, { id, product_id }: SubmissionJson): Promise<RunResult> {
  const result = { submission_id: id, product_id };
  try {
    const { status, message } = await packageImportsOf(client).runInsert(id);
    return { ...result, status, message };
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 500].includes(error.status)) throw error;
    return { ...result, status: error.status, message: error.message };
  }
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
