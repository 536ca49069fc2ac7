/** The hot look-ups read by an index, however many submissions there are. More rows and times: test/large/plans.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Orm } from '../../src/database/orm.ts';
import { HOT_LOOK_UPS, madeUpRows } from '../large/look-ups.ts';
import { openTestDatabase } from '../support/database.ts';

let orm: Orm;
beforeAll(async () => {
  const { database, url } = await openTestDatabase();
  await database.close();
  orm = await connect(url);
  for (const statement of madeUpRows(20_000)) await orm.em.fork().execute(statement);
});
afterAll(() => orm.close(true));

describe('without a scan of all submissions', () => {
  it.each(Object.entries(HOT_LOOK_UPS))('%s', async (_name, statement) => {
    const rows = await orm.em.fork().execute<{ 'QUERY PLAN': string }[]>(`explain ${statement}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index (?:Only )?Scan/);
    expect(plan).not.toContain('Seq Scan on submission');
  });

  it('what deletes have to look up: every foreign key has an index', async () => {
    const missing = await orm.em.fork().execute(
      `select c.conrelid::regclass::text as table, c.conname from pg_constraint c
        where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
          select 1 from pg_index i where i.indrelid = c.conrelid and i.indisvalid
             and (i.indkey::int2[])[0:array_length(c.conkey, 1) - 1] = c.conkey)`,
    );
    expect(missing).toEqual([]);
  });
});
