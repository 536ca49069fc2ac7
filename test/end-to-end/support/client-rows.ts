/** The rows that requests of clients cause, to see that a request has changed nothing. */
import { eventually } from '../../support/eventually.ts';
import type { Stack } from '../../support/starters/stack.ts';

const TABLES = [
  'zip_import',
  'zip_import_file',
  'submission',
  'attachment',
  'submitter',
  'idempotency_key',
  'notification',
  'import_retry',
  'retry_result',
  'queue_result',
  'webhook',
  'webhook_delivery',
  `audit_event where actor like 'client:%'`,
];

/** All rows, each as text. */
export async function clientRows({ sql }: Pick<Stack, 'sql'>): Promise<string[]> {
  const all = TABLES.map((table) => `select t::text as row from (select * from ${table}) t`);
  return (await sql<{ row: string }>(`${all.join(' union all ')} order by 1`)).map(({ row }) => row);
}

/** Waits until the work of all requests is done: no such row changes by itself any more. */
export async function settled({ sql }: Pick<Stack, 'sql'>): Promise<void> {
  await eventually(async () => {
    const [left] = await sql<{ n: number }>(`
      select ((select count(*) from zip_import where completed_at is null)
            + (select count(*) from submission where status = 'regulator_inserting')
            + (select count(*) from import_retry where ended_at is null)
            + (select count(*) from webhook_delivery where status = 'pending'))::int as n`);
    return left?.n === 0;
  });
}
