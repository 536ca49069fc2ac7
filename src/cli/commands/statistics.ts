/** `statistics`: what became of the imports of each day. */
import type { Command } from 'commander';
import { type StatisticsQuery, statisticsOf } from '../../client/package-imports.ts';
import type { Act, Context } from '../context.ts';
import { EXIT, type Outcome } from '../outcome.ts';
import { tableOf } from '../table.ts';
import { LISTED, listLength } from './list.ts';

interface StatisticsOptions {
  from?: string;
  to?: string;
  ofClient?: string;
  limit: number;
  before?: string;
}

export function addStatisticsCommand(program: Command, act: Act): void {
  program
    .command('statistics')
    .description('by day and client: imports, products, time to insert')
    .option('--from <day>', 'the first day of uploads, YYYY-MM-DD, UTC')
    .option('--to <day>', 'the last day')
    .option('--of-client <id>', 'only of this client (operators)')
    .option('--limit <n>', 'length of the list', listLength, LISTED)
    .option('--before <line>', 'goes on behind this line: the next page')
    .action(act(statistics));
}

async function statistics({ client, width }: Context, options: StatisticsOptions): Promise<Outcome> {
  const { ofClient: client_id, ...others } = options;
  const query: StatisticsQuery = { client_id, ...others };
  const { message, data } = await statisticsOf(client).days(query);
  const rows = data.statistics.map(({ day, client_id: of, imports, products, insert_seconds: seconds }) => [
    ...[day, of, String(sum(imports)), String(products.regulator_inserted), String(sum(products))],
    seconds === null ? '' : `${seconds.p50} s, ${seconds.p95} s`,
  ]);
  const head = ['Day', 'Client', 'Imports', 'Inserted', 'Product files', 'To insert: p50, p95'];
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

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);
