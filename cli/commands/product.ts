/** `product`: the submissions of a product, over all imports. */
import type { Command } from 'commander';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { EXIT, type Outcome } from '../outcome.ts';
import { tableOf } from '../table.ts';
import { LISTED, listLength } from './list.ts';

interface ProductOptions {
  limit: number;
  before?: number;
}

export function addProductCommand(program: Command, act: Act): void {
  program
    .command('product')
    .argument('<product-id>', 'ID of the product, e.g. 99962-22-00003')
    .description('list the submissions of a product, newest first, with their changed sections')
    .option('--limit <n>', 'number of submissions', listLength, LISTED)
    .option('--before <id>', 'only submissions older than this one (next page)', identifier)
    .action(act(product));
}

async function product({ client, width }: Context, id: string, query: ProductOptions): Promise<Outcome> {
  const { message, data } = await client.call('getProduct', { params: { product_id: id }, query });
  const rows = data.submissions.map((submission) => [
    ...[String(submission.id), submission.created_at, submission.status, submission.case_id ?? ''],
    submission.changed_sections?.join(', ') ?? '',
    submission.failure_reason ?? '',
  ]);
  const head = ['Submission', 'Created', 'Status', 'Case', 'Changed', 'Reason'];
  const more = data.next_before === null ? [] : [`Next page: --before ${data.next_before}`];
  return {
    json: { status: 'success', message, data },
    text: [tableOf(head, rows, width), ...more].join('\n'),
    exitCode: EXIT.ok,
  };
}
