/** People and addresses are forgotten after AUDIT_RETENTION_DAYS; what they did stays (decision §retention). */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { importCancelled, insertCancelled, notStarted, queued } from '../../src/domain/queue.ts';
import { createdFile, newImport, openTestDatabase, reportOf } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';

const PERSON = 'person:4f1b (Zoë "Z" O\'Neil)';
const DAY_MS = 24 * 60 * 60 * 1000;

const { database, url } = await openTestDatabase();
const sql = <Row extends object>(statement: string) => runSql<Row>(url, statement);

const event = (actor: string, daysAgo: number, action: string) =>
  sql(
    `insert into audit_event (at, actor, action, detail)
     values (now() - interval '${daysAgo} days', '${actor.replaceAll("'", "''")}', '${action}', '{"reason": "why"}')`,
  );
const actorsOf = async (action: string) =>
  (await sql<{ actor: string }>(`select actor from audit_event where action = '${action}' order by at`)).map(
    ({ actor }) => actor,
  );

/** A cancelled import with a product that failed, and one that was not queued. It ended some days ago. */
async function cancelledImport(daysAgo: number) {
  const importId = await newImport(database, { notificationEmail: 'person@company.example' });
  await database.reading.record(importId, null, [
    createdFile(newProductId(), 0),
    createdFile(newProductId(), 1),
  ]);
  const [begun, other] = (await reportOf(database, importId)).submissions;
  const run = randomUUID();
  await database.imports.requestCancel(importId, PERSON);
  await database.queue.recordResults(
    importId,
    [queued(begun?.id ?? 0, run), notStarted(other?.id ?? 0, importCancelled(PERSON))],
    'test',
  );
  await database.insertRuns.fail(begun?.id ?? 0, run, [plainReason(insertCancelled(PERSON))], 'workflow:x', {
    auditedReasons: [plainReason(insertCancelled(null))],
  });
  await database.imports.complete(importId, 'cancelled', 'workflow:x');
  await sql(`update zip_import set completed_at = now() - interval '${daysAgo} days' where id = ${importId}`);
  return importId;
}

/** Everything that an import shows of its people. */
async function shown(importId: number) {
  const { submissions } = await reportOf(database, importId);
  const notifications = await sql(`select email from notification where zip_import_id = ${importId}`);
  const [begun, other] = submissions;
  return {
    cancelledBy: (await database.imports.find(importId))?.cancelledBy,
    reason: begun?.failureReason?.[0]?.text,
    message: other?.queueResult?.message,
    notifications,
  };
}

describe('after their days', () => {
  let old: number;
  let recent: number;
  beforeAll(async () => {
    await event(PERSON, 100, 'test.did');
    await event('client:company', 100, 'test.did');
    await event('workflow:x/y', 99, 'test.did');
    await event(PERSON, 50, 'test.did');
    old = await cancelledImport(100);
    recent = await cancelledImport(50);
    const before = new Date(Date.now() - 90 * DAY_MS);
    expect(await database.people.forgetBefore(before)).toEqual({ people: 1, addresses: 1 });
    expect(await database.people.forgetBefore(before)).toEqual({ people: 0, addresses: 0 });
  });

  it('events name nobody, and keep action, time and details; clients and workflows stay', async () => {
    expect(await actorsOf('test.did')).toEqual([
      'person:forgotten',
      'client:company',
      'workflow:x/y',
      PERSON,
    ]);
    const details = await sql(`select distinct detail from audit_event where action = 'test.did'`);
    expect(details).toEqual([{ detail: { reason: 'why' } }]);
  });

  it('imports have person:forgotten in all their texts, and no recipients', async () => {
    expect(await shown(old)).toEqual({
      cancelledBy: 'person:forgotten',
      reason: 'The insert was cancelled with its import, by person:forgotten.',
      message:
        'The regulator-insert task could not be started: the import was cancelled by person:forgotten.',
      notifications: [],
    });
  });

  it('younger imports keep the person and the recipients', async () => {
    expect(await shown(recent)).toEqual({
      cancelledBy: PERSON,
      reason: `The insert was cancelled with its import, by ${PERSON}.`,
      message: `The regulator-insert task could not be started: the import was cancelled by ${PERSON}.`,
      notifications: [{ email: 'person@company.example' }],
    });
  });

  it('the audit trail names a person only as an actor', async () => {
    const [row] = await sql<{ n: number }>(
      `select count(*)::int as n from audit_event where detail::text like '%person:%'`,
    );
    expect(row).toEqual({ n: 0 });
  });
});

describe('the trail', () => {
  it.each([
    ['an event younger than 30 days', `set actor = 'person:forgotten' where action = 'test.young'`],
    ['another name', `set actor = 'person:somebody' where action = 'test.aged'`],
    ['a client', `set actor = 'person:forgotten' where action = 'test.client'`],
    ['an action', `set actor = 'person:forgotten', action = 'test.other' where action = 'test.aged'`],
    ['a time', `set actor = 'person:forgotten', at = now() where action = 'test.aged'`],
    ['a detail', `set actor = 'person:forgotten', detail = null where action = 'test.aged'`],
  ])('refuses to forget or change %s', async (_what, change) => {
    await event(PERSON, 29, 'test.young');
    await event(PERSON, 31, 'test.aged');
    await event('client:company', 31, 'test.client');
    await expect(sql(`update audit_event ${change}`)).rejects.toThrow(/append-only/);
  });
});

it('an event that the trail still protects stops nothing: the clocks of worker and database differ, and so do days of summer time', async () => {
  await event(PERSON, 31, 'test.limit');
  await event(PERSON, 29.999, 'test.limit');
  await database.people.forgetBefore(new Date(Date.now() - 29.99 * DAY_MS));
  expect(await actorsOf('test.limit')).toEqual(['person:forgotten', PERSON]);
});

describe('a search for an actor', () => {
  it('finds a person by the id, under every name, and nobody else', async () => {
    const named = ['person:7_c', 'person:7_c (ann)', 'person:7_c (bob)'];
    for (const actor of [...named, 'person:7xc (ann)', 'person:7_c2 (ann)', 'client:7_c'])
      await event(actor, 1, 'test.found');
    const found = async (actor: string) => {
      const { events } = await database.auditTrail.list({ actor, actions: ['test.found'] }, { limit: 10 });
      return events.map((event) => event.actor).sort();
    };
    expect(await found('person:7_c')).toEqual(named);
    expect(await found('person:7_c (ann)')).toEqual(['person:7_c (ann)']);
    expect(await found('client:7_c')).toEqual(['client:7_c']);
  });
});
