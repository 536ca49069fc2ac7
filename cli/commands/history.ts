/** `product`: the submissions of a product, over all imports. `audit`: the audit trail, for operators. */
import type { Command } from 'commander';
import type { AuditQuery } from '../../src/contract/types.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { type Outcome, success } from '../outcome.ts';
import { tableOf } from '../screen.ts';
import { LISTED, listLength, pageText } from './list.ts';

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
    ...[submission.id, submission.created_at, submission.status, submission.case_id],
    submission.changed_sections?.join(', '),
    submission.failure_reason,
  ]);
  const head = ['Submission', 'Created', 'Status', 'Case', 'Changed', 'Reason'];
  return success({ message, data }, pageText(tableOf(head, rows, width), data.next_before));
}

interface AuditOptions {
  import?: number;
  submission?: number;
  actor?: string;
  action?: string;
  limit: number;
  before?: number;
}

export function addAuditCommand(program: Command, act: Act): void {
  program
    .command('audit')
    .description('list audit events, newest first (operators)')
    .option('--import <id>', 'only events of this import', identifier)
    .option('--submission <id>', 'only events of this submission', identifier)
    .option('--actor <actor>', 'only events of this actor, e.g. client:company')
    .option('--action <action>', 'only these actions, separated by commas, e.g. import.read')
    .option('--limit <n>', 'number of events', listLength, LISTED)
    .option('--before <id>', 'only events older than this one (next page)', identifier)
    .action(act(audit));
}

async function audit({ client, width }: Context, options: AuditOptions): Promise<Outcome> {
  const { import: import_id, submission: submission_id, ...others } = options;
  const query: AuditQuery = { import_id, submission_id, ...others };
  const { message, data } = await client.call('getAuditEvents', { query });
  const rows = data.audit_events.map((event) => [
    ...[event.at, event.actor, event.action, event.import_id, event.submission_id],
    event.detail === null ? null : JSON.stringify(event.detail),
  ]);
  const table = tableOf(['At', 'Actor', 'Action', 'Import', 'Submission', 'Detail'], rows, width);
  const text = rows.length > 0 ? table : 'No audit event matches.';
  return success({ message, data }, pageText(text, data.next_before));
}
