/**
 * The plans of the hot look-ups over many rows: `node test/large/plans.ts --rows 10000000 [--database-url …]`. Fills an empty
 * database with made-up submissions, shows how each look-up goes about it and how long it takes, and drops nothing: the
 * database is the caller's.
 */
import { parseArgs } from 'node:util';
import { migrate } from '../../src/database/index.ts';
import { connect } from '../../src/database/orm.ts';
import { HOT_LOOK_UPS, madeUpRows } from './look-ups.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '300000' }, 'database-url': { type: 'string' } },
});
const url = values['database-url'] ?? process.env.DATABASE_URL;
if (url === undefined) throw new Error('Give an empty database with --database-url or DATABASE_URL.');

await migrate(url);
const orm = await connect(url);
const sql = <T>(statement: string) => orm.em.fork().execute<T[]>(statement);
try {
  const begun = performance.now();
  for (const statement of madeUpRows(Number(values.rows))) await sql(statement);
  process.stdout.write(`${values.rows} submissions made in ${Math.round(performance.now() - begun)} ms\n`);
  for (const [name, statement] of Object.entries(HOT_LOOK_UPS)) {
    const plan = await sql<{ 'QUERY PLAN': string }>(`explain (analyze, costs off, summary on) ${statement}`);
    process.stdout.write(`\n${name}\n${plan.map((line) => `  ${line['QUERY PLAN']}`).join('\n')}\n`);
  }
} finally {
  await orm.close(true);
}
