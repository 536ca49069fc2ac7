/** `audit`: the audit trail, for operators. */
import type { Command } from 'commander';
import type { AuditQuery } from '../../src/contract/types.ts';
import { identifier } from '../connection.ts';
import type { Act, Context } from '../context.ts';
import { EXIT, type Outcome } from '../outcome.ts';
import { tableOf } from '../table.ts';
import { LISTED, listLength } from './list.ts';

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
    ...[event.at, event.actor, event.action, idOf(event.import_id), idOf(event.submission_id)],
    event.detail === null ? '' : JSON.stringify(event.detail),
  ]);
  const more = data.next_before === null ? [] : [`Next page: --before ${data.next_before}`];
  const table = tableOf(['At', 'Actor', 'Action', 'Import', 'Submission', 'Detail'], rows, width);
  return {
    json: { status: 'success', message, data },
    text: [rows.length > 0 ? table : 'No audit event matches.', ...more].join('\n'),
    exitCode: EXIT.ok,
  };
}

function idOf(id: number | null): string {
  return id === null ? '' : String(id);
}
