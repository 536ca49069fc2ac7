/**
 * Statistics over many imports equal the records, however often a day is counted (decision §statistics-are-rolled-up).
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SPANS, type Span } from '../../src/contract/statuses.ts';
import type { FileOutcome } from '../../src/database/repositories/reading.ts';
import {
  type Before,
  createStatisticsRepository,
  type StatisticsLine,
} from '../../src/database/repositories/statistics.ts';
import { alreadyQueued, queued } from '../../src/domain/queue.ts';
import {
  createdFile,
  invalidPackage,
  newImport,
  openAgain,
  openOrm,
  openTestDatabase,
  refusedFile,
  reportOf,
} from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';

const { database, url } = await openTestDatabase();
const sql = <T>(statement: string) => runSql<T>(url, statement);

const DAY_MS = 86_400_000;
/** Size of a package; the sum of two exceeds 32 bits. */
const SIZE_BYTES = 2_000_000_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

async function make(
  clientId: string,
  uploadedAt: Date,
  files: FileOutcome[] = [],
  tenant = clientId,
): Promise<number> {
  const id = await newImport(database, { clientId, tenant, uploadedAt, sizeBytes: SIZE_BYTES });
  await database.reading.record(id, null, files);
  return id;
}

const nameOf = ({ beginsAt, clientId }: Before) => `${dayOf(beginsAt.getTime())}/${clientId}`;
const hourOf = ({ beginsAt, clientId }: Before) => `${beginsAt.toISOString().slice(0, 13)}/${clientId}`;

async function allPages(span: Span, days: { from: string; to: string }, limit: number): Promise<Before[]> {
  const seen: Before[] = [];
  let before: Before | undefined;
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await database.statistics.lines(span, { ...days, before }, limit);
    if (page.length === 0) return seen;
    seen.push(...page);
    before = page.at(-1);
  }
  return seen;
}

async function countAll(): Promise<string[]> {
  const due = await database.statistics.daysDue(1000);
  for (const day of due) await database.statistics.countDay(day);
  return due;
}

describe('a day', () => {
  it('is counted by client, and gives the same result again', async () => {
    const at = new Date('2026-01-31T23:59:59.999Z');
    const importId = await make('a', at, [
      ...Array.from({ length: 8 }, (_, n) => createdFile(newProductId(), n)),
      ...[refusedFile('failed', 8), refusedFile('skipped', 9), refusedFile('skipped', 10)],
    ]);
    // A file that is no product does not count.
    const { outcome: _, productId: __, ...file } = refusedFile('failed', 99);
    await database.referredFiles.recordUnreadable(importId, { ...file, kind: 'attachment' });
    const { submissions } = await reportOf(database, importId);
    const ids = submissions.map(({ id }) => id);
    await database.queue.recordResults(
      importId,
      ids.map((id, n) => (n === 0 ? alreadyQueued(id, randomUUID(), 'active') : queued(id, randomUUID()))),
      'test',
    );
    await database.imports.markQueued(importId);
    // Inserted within 1, 2, 3 and 11 seconds; the first of the others failed before its first step.
    for (const [n, seconds] of [1, 2, 3, 11].entries())
      await sql(
        `update submission set status = 'regulator_inserted', updated_at = created_at + interval '${seconds} s' where id = ${ids[n + 1]}`,
      );
    await sql(`update submission set status = 'regulator_insert_failed' where id in (${ids[5]}, ${ids[6]})`);
    await sql(`update submission set current_step = 'design' where id = ${ids[6]}`);
    const unreadable = await make('a', at);
    await database.imports.fail(unreadable, invalidPackage('broken'), 'test');
    await make('b', at, [createdFile(newProductId())]);
    await make('a', new Date('2026-02-01T00:00:00Z'));

    await countAll();
    const [next, first, second] = await database.statistics.lines('day', { to: '2026-02-01' }, 9);
    expect(next).toMatchObject({
      beginsAt: new Date('2026-02-01'),
      clientId: 'a',
      imports: { extracting: 1 },
    });
    const expected = {
      beginsAt: new Date('2026-01-31'),
      clientId: 'a',
      imports: { extracting: 0, inserting: 1, completed: 0, failed: 1, cancelled: 0 },
      products: {
        local: 1,
        regulator_inserting: 1,
        regulator_inserted: 4,
        regulator_insert_failed: 2,
        skipped: 2,
        refused: 1,
      },
      failures: {
        package_unreadable: 1,
        file_refused: 1,
        not_queued: 1,
        insert_not_begun: 1,
        insert_design: 1,
        insert_init_validate: 0,
        insert_product_details: 0,
        insert_product_presentation: 0,
        insert_ingredients: 0,
        insert_emission: 0,
      },
      insertP50Seconds: 2.5,
      insertP95Seconds: expect.closeTo(9.8, 6),
      receivedBytes: 2 * SIZE_BYTES,
      countedAt: expect.any(Date),
    };
    expect(first).toEqual(expected);
    // A product that is not queued yet is no failure.
    expect(second).toMatchObject({ clientId: 'b', products: { local: 1 }, failures: { not_queued: 0 } });
    expect(second?.insertP50Seconds).toBeNull();

    await Promise.all([1, 2, 3].map(() => database.statistics.countDay('2026-01-31')));
    expect((await database.statistics.lines('day', { to: '2026-01-31' }, 9))[0]).toEqual(expected);
    await sql(
      `update submission set status = 'regulator_inserted', updated_at = created_at where id = ${ids[6]}`,
    );
    await database.statistics.countDay('2026-01-31');
    expect((await database.statistics.lines('day', { clientId: 'a', to: '2026-01-31' }, 9))[0]).toMatchObject(
      {
        products: { regulator_inserted: 5, regulator_insert_failed: 1 },
        failures: { insert_design: 0 },
        insertP50Seconds: 2,
      },
    );
  });

  it('is due when it was never counted, and again while it may change', async () => {
    const now = Date.now();
    await make('due', new Date(now));
    await countAll();
    expect(await countAll()).toEqual([]);
    const counted = (minutesAgo: number) =>
      sql(`update statistics_day set counted_at = now() - interval '${minutesAgo} minutes'`);
    await counted(3);
    expect(await database.statistics.daysDue(1000)).toEqual([]);
    await counted(5);
    expect(await database.statistics.daysDue(1000)).toEqual([dayOf(now - DAY_MS), dayOf(now)]);
    await counted(25 * 60);
    const daily = await database.statistics.daysDue(1000);
    expect(daily).toHaveLength(90);
    expect(daily[0]).toBe(dayOf(now - 89 * DAY_MS));
    expect(await database.statistics.daysDue(7)).toHaveLength(7);
    expect(await countAll()).toEqual(daily);
  });

  it('is due in any time zone of the server, also where clocks change at midnight', async () => {
    const { database: abroad, url: itsUrl } = await openTestDatabase();
    const name = new URL(itsUrl).pathname.slice(1);
    await runSql(itsUrl, `alter database "${name}" set timezone = 'Atlantic/Azores'`);
    const { statistics } = await openAgain(itsUrl);
    await newImport(abroad);
    await runSql(itsUrl, "update zip_import set uploaded_at = '2026-03-01T12:00:00Z'");
    const today = dayOf(Date.now());
    expect((await statistics.daysDue(1000)).at(-1)).toBe(today);
  });
});

describe('the list', () => {
  it('runs from the newest day to the oldest, by client, page by page', async () => {
    const clients = ['p-1', 'p-2', 'p-3'];
    for (const day of ['2025-03-01', '2025-03-02', '2025-03-04'])
      for (const clientId of clients) await make(clientId, new Date(`${day}T12:00:00Z`));
    await countAll();
    const filter = { from: '2025-03-01', to: '2025-03-04' };
    const expected = ['2025-03-04', '2025-03-02', '2025-03-01'].flatMap((day) =>
      clients.map((clientId) => `${day}/${clientId}`),
    );
    for (const limit of [1, 2, 5, 100])
      expect((await allPages('day', filter, limit)).map(nameOf)).toEqual(expected);
    const own = await database.statistics.lines('day', { ...filter, clientId: 'p-2', from: '2025-03-02' }, 9);
    expect(own.map(nameOf)).toEqual(['2025-03-04/p-2', '2025-03-02/p-2']);
  });
});

describe('hours', () => {
  const DAYS = { from: '2024-06-01', to: '2024-06-02' };

  it('are counted with their day, each separately, and listed page by page', async () => {
    const at = (text: string) => new Date(`2024-06-${text}Z`);
    const early = await make('h-1', at('01T09:00:00.000'), [
      createdFile(newProductId()),
      refusedFile('failed', 1),
    ]);
    await make('h-1', at('01T09:59:59.999'), [createdFile(newProductId())]);
    await make('h-2', at('01T09:30:00.000'), [refusedFile('skipped', 1)]);
    await make('h-1', at('01T10:00:00.000'));
    await make('h-1', at('02T23:59:59.999'));
    await make('h-1', at('03T00:00:00.000'));
    await make('h-1', new Date('2024-05-31T23:59:59.999Z'));
    const { submissions } = await reportOf(database, early);
    await sql(
      `update submission set status = 'regulator_inserted', updated_at = created_at + interval '4 s' where id = ${submissions[0]?.id}`,
    );
    await countAll();
    const names = ['2024-06-02T23/h-1', '2024-06-01T10/h-1', '2024-06-01T09/h-1', '2024-06-01T09/h-2'];
    for (const limit of [1, 2, 100]) expect((await allPages('hour', DAYS, limit)).map(hourOf)).toEqual(names);
    const own = await database.statistics.lines('hour', { ...DAYS, clientId: 'h-2' }, 9);
    expect(own.map(hourOf)).toEqual(['2024-06-01T09/h-2']);
    expect(own[0]?.products).toMatchObject({ skipped: 1 });
    const [line] = await database.statistics.lines(
      'hour',
      { ...DAYS, before: { beginsAt: at('01T10:00:00'), clientId: 'h-1' } },
      1,
    );
    expect(line).toEqual({
      beginsAt: at('01T09:00:00'),
      clientId: 'h-1',
      imports: { extracting: 2, inserting: 0, completed: 0, failed: 0, cancelled: 0 },
      products: {
        local: 1,
        regulator_inserting: 0,
        regulator_inserted: 1,
        regulator_insert_failed: 0,
        skipped: 0,
        refused: 1,
      },
      failures: expect.objectContaining({ file_refused: 1, package_unreadable: 0 }),
      insertP50Seconds: 4,
      insertP95Seconds: 4,
      receivedBytes: 2 * SIZE_BYTES,
      countedAt: expect.any(Date),
    });
  });

  it('add up to their day', async () => {
    const [day] = await database.statistics.lines(
      'day',
      { from: DAYS.from, to: DAYS.from, clientId: 'h-1' },
      1,
    );
    const hours = await database.statistics.lines(
      'hour',
      { from: DAYS.from, to: DAYS.from, clientId: 'h-1' },
      99,
    );
    const sum = (pick: (line: StatisticsLine) => number | null | undefined) =>
      hours.reduce((all, line) => all + (pick(line) ?? 0), 0);
    expect(sum(({ imports }) => imports.extracting)).toBe(day?.imports.extracting);
    expect(sum(({ products }) => products.local)).toBe(day?.products.local);
    expect(sum(({ receivedBytes }) => receivedBytes)).toBe(day?.receivedBytes);
  });
});

describe('stored bytes', () => {
  it('are those that retention has not removed, with attachments, largest first', async () => {
    const [kept, removed] = [await make('k-1', new Date()), await make('k-1', new Date())];
    await make('k-2', new Date());
    await make('k-2', new Date());
    await sql(`update zip_import set attachment_bytes = 7 where id in (${kept}, ${removed})`);
    await sql(`update zip_import set archive_removed_at = now() where id = ${removed}`);
    const of = (clientId?: string) => database.statistics.stored({ clientId }, 200);
    expect((await of()).filter(({ clientId }) => clientId.startsWith('k-'))).toEqual([
      { clientId: 'k-2', packages: 2, packageBytes: 2 * SIZE_BYTES, attachmentBytes: 0 },
      { clientId: 'k-1', packages: 1, packageBytes: SIZE_BYTES, attachmentBytes: 7 },
    ]);
    expect((await of('k-1')).map(({ clientId }) => clientId)).toEqual(['k-1']);
    expect(await of('nobody')).toEqual([]);
    expect(await database.statistics.stored({}, 1)).toHaveLength(1);
  });
});

describe('running imports', () => {
  it('are counted by client, for the clients with most of them', async () => {
    for (const [clientId, products] of [
      ['w-many', 3],
      ['w-few', 1],
    ] as const) {
      const files = Array.from({ length: products }, (_, n) => createdFile(newProductId(), n));
      const id = await make(clientId, new Date(), files);
      const { submissions } = await reportOf(database, id);
      const results = submissions.map((one) => queued(one.id, randomUUID()));
      await database.queue.recordResults(id, results, 'test');
    }
    await make('w-many', new Date());
    const waiting = await database.statistics.waiting({}, 200);
    expect(waiting.filter(({ clientId }) => clientId.startsWith('w-'))).toEqual([
      { clientId: 'w-many', imports: 2, inserting: 3 },
      { clientId: 'w-few', imports: 1, inserting: 1 },
    ]);
    expect(await database.statistics.waiting({ clientId: 'w-few' }, 200)).toEqual([
      { clientId: 'w-few', imports: 1, inserting: 1 },
    ]);
    expect(await database.statistics.waiting({ clientId: 'nobody' }, 200)).toEqual([]);
    expect(await database.statistics.waiting({}, 1)).toHaveLength(1);
  });
});

describe('a client with several tenants', () => {
  const DAY = { from: '2023-03-01', to: '2023-03-01' };

  it('has a line with all of them, and each tenant its own', async () => {
    const at = new Date('2023-03-01T12:00:00Z');
    for (const tenant of ['t·1', 't·1', 't·2']) await make('t', at, [createdFile(newProductId())], tenant);
    await database.statistics.countDay(DAY.from);
    const { lines, stored, waiting } = database.statistics;
    const importsOf = (counted: StatisticsLine[]) =>
      counted.map(({ clientId, imports, products }) => [clientId, imports.extracting, products.local]);
    for (const [owner, count] of [
      [{ clientId: 't' }, 3],
      [{ tenant: 't·1' }, 2],
      [{ tenant: 't·2' }, 1],
    ] as const) {
      for (const span of SPANS)
        expect(importsOf(await lines(span, { ...DAY, ...owner }, 9))).toEqual([['t', count, count]]);
      expect(await stored(owner, 9)).toMatchObject([{ clientId: 't', packages: count }]);
      expect(await waiting(owner, 9)).toEqual([{ clientId: 't', imports: count, inserting: 0 }]);
    }
    expect(importsOf(await lines('day', DAY, 9))).toEqual([['t', 3, 3]]);
  });
});

it('lines that have not changed are not written again', async () => {
  const at = new Date('2022-03-01T12:00:00Z');
  await make('unchanged', at);
  const count = () => database.statistics.countDay('2022-03-01');
  const versions = () =>
    sql(`select xmin::text, span from statistics_line where client_id = 'unchanged' order by span`);
  await count();
  const first = await versions();
  await count();
  expect(await versions()).toEqual(first);
  await make('unchanged', new Date('2022-03-01T13:00:00Z'));
  await count();
  const [day, noon] = await versions();
  expect([day, noon]).toEqual([expect.not.objectContaining(first[0] as object), first[1]]);
});

describe('today', () => {
  const clientId = `today ${randomUUID()}`;
  const refusedFiles = async (): Promise<number | undefined> => {
    await database.statistics.countToday();
    return (await database.statistics.lines('day', { clientId }, 10))[0]?.products.refused;
  };

  it('is counted on request', async () => {
    await make(clientId, new Date(), [refusedFile('failed', 1)]);
    expect(await refusedFiles()).toBe(1);
    await make(clientId, new Date(), [refusedFile('failed', 2)]);
    await eventually(async () => (await refusedFiles()) === 2);
  });

  it('shows the last count while another takes long', async () => {
    const orm = await openOrm(url);
    const em = orm.em.fork();
    await em.begin();
    await em.execute('update statistics_day set counted_at = counted_at');
    await make(clientId, new Date(), [refusedFile('failed', 3)]);
    await createStatisticsRepository(orm).countToday();
    expect((await database.statistics.lines('day', { clientId }, 10))[0]?.products.refused).toBe(2);
    await em.rollback();
    await eventually(async () => (await refusedFiles()) === 3);
  });
});
