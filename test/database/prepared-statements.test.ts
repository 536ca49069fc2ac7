/** Statements of inserts are prepared once for each connection; others are not prepared. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { PREPARED } from '../../src/database/connections.ts';
import type { Orm } from '../../src/database/orm.ts';
import { createInsertRunRepository } from '../../src/database/repositories/insert-runs.ts';
import { createInsertStepRepository } from '../../src/database/repositories/insert-steps.ts';
import { newSubmission, openOrm, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

const { database, url } = await openTestDatabase();

/** A process with one connection. */
const openProcess = () => openOrm(url, { poolSize: 1 });

const callsOf = (orm: Orm) =>
  orm.em.execute<{ calls: number }[]>(
    'select (generic_plans + custom_plans)::int as calls from pg_prepared_statements order by 1',
  );

const statementsOf = (orm: Orm) =>
  orm.em.execute<{ name: string; statement: string }[]>('select name, statement from pg_prepared_statements');

async function insertOne(orm: Orm): Promise<void> {
  const insertRuns = createInsertRunRepository(orm);
  const insertSteps = createInsertStepRepository(orm);
  const { id } = await newSubmission(database, newProductId());
  const run = { runId: randomUUID(), actor: 'test' };
  await insertRuns.begin(id, run.runId, run.actor);
  for (const [index, step] of INSERT_STEPS.entries())
    await insertSteps.completeStep({ id, remaining: INSERT_STEPS.slice(index) }, step, run, {});
}

it('the statements of an insert are prepared once, whatever number of products a connection serves', async () => {
  const orm = await openProcess();
  for (let product = 0; product < 3; product += 1) await insertOne(orm);
  // One begins the run, and one completes each step.
  expect(await callsOf(orm)).toEqual(Array(1 + INSERT_STEPS.length).fill({ calls: 3 }));
});

it('processes that prepare in different orders give a statement the same name', async () => {
  const [one, other] = await Promise.all([openProcess(), openProcess()]);
  await sql`${PREPARED} select 'prepared by one process only'`.execute(one.em.getKysely());
  await insertOne(one);
  await insertOne(other);
  expect(await statementsOf(one)).toEqual(expect.arrayContaining(await statementsOf(other)));
});

// Behind the pooler, a statement meets another connection of the server, with other prepared statements or none.
it.each([
  [
    'behind a pooler without prepared statements',
    'deallocate all',
    /prepared statement "\S+" does not exist/,
  ],
  [
    'behind a pooler that mixes prepared statements up',
    `do $$
      declare names text[] := array(select name from pg_prepared_statements);
      begin
        deallocate all;
        for place in 1 .. cardinality(names) loop
          execute format('prepare %I as select 1', names[place]);
        end loop;
      end $$`,
    /bind message supplies \d+ parameters, but prepared statement "\S+" requires 0/,
  ],
  [
    'after a migration has changed the type of a column',
    'alter table submission alter column case_id type text',
    /cached plan must not change result type/,
  ],
])('%s, a statement fails and no other is prepared', async (_, change, reason) => {
  const orm = await openProcess();
  await insertOne(orm);
  await orm.em.execute(change);
  const before = await callsOf(orm);
  await expect(insertOne(orm)).rejects.toThrow(reason);
  await insertOne(orm);
  expect(await callsOf(orm)).toEqual(before);
});
