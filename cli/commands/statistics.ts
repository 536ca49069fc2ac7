/** `statistics`: outcomes of the imports of each day or hour, and the size of the stored data. */
import type { Command } from 'commander';
import type { StatisticsQuery } from '../../src/contract/types.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { Act, Context } from '../context.ts';
import { bytesText, tookText } from '../measures.ts';
import { EXIT, type Outcome } from '../outcome.ts';
import { tableOf } from '../table.ts';
import { LISTED, listLength } from './list.ts';

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
    .description('by day or hour and client: imports, products, time to insert')
    .option('--hours', 'by hour: of three days at the most, of today where no day is given')
    .option('--stored', 'instead: how much is stored of the packages of each client')
    .option('--from <day>', 'the first day of uploads, YYYY-MM-DD, UTC')
    .option('--to <day>', 'the last day')
    .option('--of-client <id>', 'only of this client (operators)')
    .option('--limit <n>', 'length of the list', listLength, LISTED)
    .option('--before <line>', 'goes on behind this line: the next page')
    .action(act(statistics));
}

async function statistics({ client, width }: Context, options: StatisticsOptions): Promise<Outcome> {
  const { ofClient: client_id, hours, stored, ...others } = options;
  if (stored) return storedNow(client, client_id, width);
  const query: StatisticsQuery = { client_id, ...(hours && { by: 'hour' }), ...others };
  const { message, data } = await client.call('getStatistics', { query });
  const rows = data.statistics.map((line) => [
    hours ? line.begins_at.slice(0, '2026-01-31T12:00'.length) : line.day,
    ...[line.client_id, String(sum(line.imports)), String(line.products.regulator_inserted)],
    String(sum(line.products)),
    line.insert_seconds === null
      ? ''
      : `${tookText(line.insert_seconds.p50)}, ${tookText(line.insert_seconds.p95)}`,
  ]);
  const when = hours ? 'Hour (UTC)' : 'Day';
  const head = [when, 'Client', 'Imports', 'Inserted', 'Product files', 'To insert: p50, p95'];
  const under = (data.waiting_now ?? []).map(
    ({ client_id: of, imports, inserting }) =>
      `Under way of ${of}: imports ${imports}, products being inserted ${inserting}.`,
  );
  const more = data.next_before === null ? [] : [`Older ones: --before ${data.next_before}`];
  const table = rows.length > 0 ? tableOf(head, rows, width) : 'Nothing has been counted of those days.';
  return {
    json: { status: 'success', message, data },
    text: [table, ...under, ...more].join('\n'),
    exitCode: EXIT.ok,
  };
}

async function storedNow(
  client: ApiClient,
  client_id: string | undefined,
  width: number | undefined,
): Promise<Outcome> {
  const { message, data } = await client.call('getStored', { query: { client_id } });
  const rows = data.stored.map((one) => [
    ...[one.client_id, String(one.packages), bytesText(one.package_bytes), bytesText(one.attachment_bytes)],
  ]);
  const table = tableOf(['Client', 'Packages', 'Their bytes', 'Bytes of attachments'], rows, width);
  return {
    json: { status: 'success', message, data },
    text: rows.length > 0 ? table : 'Nothing is stored.',
    exitCode: EXIT.ok,
  };
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
