/** Statements of inserts are prepared once for each connection; others are not prepared. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { createInsertRunRepository } from '../../src/database/repositories/insert-runs.ts';
import { createInsertStepRepository } from '../../src/database/repositories/insert-steps.ts';
import { newSubmission, openOrm, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

const { database, url } = await openTestDatabase();
const orm = await openOrm(url, { poolSize: 1 });
const insertRuns = createInsertRunRepository(orm);
const insertSteps = createInsertStepRepository(orm);

const prepared = () =>
  orm.em.execute<{ calls: number }[]>(
    'select (generic_plans + custom_plans)::int as calls from pg_prepared_statements order by 1',
  );

async function insertOne(): Promise<void> {
  const { id } = await newSubmission(database, newProductId());
  const run = { runId: randomUUID(), actor: 'test' };
  await insertRuns.begin(id, run.runId, run.actor);
  for (const [index, step] of INSERT_STEPS.entries())
    await insertSteps.completeStep({ id, remaining: INSERT_STEPS.slice(index) }, step, run, {});
}

it('the statements of an insert are prepared once, whatever number of products a connection serves', async () => {
  for (let product = 0; product < 3; product += 1) await insertOne();
  // One begins the run, and one completes each step.
  expect(await prepared()).toEqual(Array(1 + INSERT_STEPS.length).fill({ calls: 3 }));
});

it('behind a pooler without prepared statements, one statement fails and no other is prepared', async () => {
  // The next statement meets another connection of the server, as behind the pooler.
  await orm.em.execute('deallocate all');
  await expect(insertOne()).rejects.toThrow(/prepared statement "statement-1" does not exist/);
  await insertOne();
  expect(await prepared()).toEqual([]);
});
