/** `statistics`: outcomes of the imports of each day or hour, and the size of the stored data. */
import type { Command } from 'commander';
import { formatBytes, formatDuration } from '../../src/common/measures.ts';
import { count } from '../../src/common/text.ts';
import type { StatisticsQuery } from '../../src/contract/types.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { Act, Context } from '../context.ts';
import { type Outcome, success } from '../outcome.ts';
import { tableOf } from '../screen.ts';
import { LISTED, listLength, pageText } from './list.ts';

interface StatisticsOptions {
  hours?: true;
  stored?: true;
  from?: string;
  to?: string;
  ofClient?: string;
  limit: number;
  before?: string;
}

export function addStatisticsCommand(program: Command, act: Act): void {
  program
    .command('statistics')
    .description('show imports, products and insert times by day and client')
    .option('--hours', 'by hour instead of by day')
    .option('--stored', 'show the size of the stored packages of each client instead')
    .option('--from <day>', 'first day of uploads (YYYY-MM-DD, UTC)')
    .option('--to <day>', 'last day of uploads')
    .option('--of-client <id>', 'only this client (operators)')
    .option('--limit <n>', 'number of lines', listLength, LISTED)
    .option('--before <line>', 'only lines after this line (for the next page)')
    .action(act(statistics));
}

async function statistics({ client, width }: Context, options: StatisticsOptions): Promise<Outcome> {
  const { ofClient: client_id, hours, stored, ...others } = options;
  if (stored) return storedNow(client, client_id, width);
  const query: StatisticsQuery = { client_id, ...(hours && { by: 'hour' }), ...others };
  const { message, data } = await client.call('getStatistics', { query });
  const rows = data.statistics.map((line) => [
    hours ? line.begins_at.slice(0, '2026-01-31T12:00'.length) : line.day,
    ...[line.client_id, sum(line.imports), line.products.regulator_inserted, sum(line.products)],
    line.insert_seconds &&
      `${formatDuration(line.insert_seconds.p50 * 1000)}, ${formatDuration(line.insert_seconds.p95 * 1000)}`,
  ]);
  const when = hours ? 'Hour (UTC)' : 'Day';
  const head = [when, 'Client', 'Imports', 'Inserted', 'Product files', 'Time until inserted: p50, p95'];
  const under = (data.waiting_now ?? []).map(
    ({ client_id: of, imports, inserting }) =>
      `Running now for ${of}: ${count(imports, 'import')}, ${count(inserting, 'product')} being inserted.`,
  );
  const table = rows.length > 0 ? tableOf(head, rows, width) : 'There are no statistics of these days.';
  return success({ message, data }, pageText([table, ...under].join('\n'), data.next_before));
}

async function storedNow(
  client: ApiClient,
  client_id: string | undefined,
  width: number | undefined,
): Promise<Outcome> {
  const { message, data } = await client.call('getStored', { query: { client_id } });
  const rows = data.stored.map((one) => [
    ...[one.client_id, one.packages, formatBytes(one.package_bytes), formatBytes(one.attachment_bytes)],
  ]);
  const table = tableOf(['Client', 'Packages', 'Size', 'Attachments'], rows, width);
  return success({ message, data }, rows.length > 0 ? table : 'No packages are stored.');
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
