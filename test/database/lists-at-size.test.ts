/**
 * Lists, searches and statistics over 300,000 products of 30,000 imports: the rows that PostgreSQL reads do
 * not grow with the table. Separate from test/database/plans.test.ts, because these queries read thousands of
 * rows on purpose.
 */

import { describe, expect, it } from 'vitest';
import { SCAN_LIMIT } from '../../src/contract/limits.ts';
import { SPANS } from '../../src/contract/statuses.ts';
import { createAuditTrailRepository } from '../../src/database/repositories/audit-trail.ts';
import { createImportRepository } from '../../src/database/repositories/imports.ts';
import { createDigestRepository } from '../../src/database/repositories/mails.ts';
import { createRetentionRepository } from '../../src/database/repositories/retention.ts';
import { createStatisticsRepository } from '../../src/database/repositories/statistics.ts';
import { createSubmissionRepository } from '../../src/database/repositories/submissions.ts';
import { watchPlans } from '../large/executed-plans.ts';
import { atEnd } from '../support/cleanup.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';

const IMPORTS = 30_000;
const PRODUCTS_OF_EACH = 10;
/** Number of days over which the uploads are spread. */
const DAYS = 300;
const FIRST_DAY = '2025-01-01';
/** One import of so many belongs to another client, has a comment, or has a failure. */
const RARE = 1_000;

/** Bulk statements, the fastest way to generate rows in PostgreSQL. */
const MADE_UP = [
  `insert into zip_import (uuid, client_id, tenant, comment, file_name, storage_key, zip_file_path, size_bytes, sha256, uploaded_at, status, completed_at, archive_removed_at)
   select gen_random_uuid(), client, client,
          case when n % ${RARE} = 2 then 'Needle ' || n else 'hay' end, n || '.zip', 'packages/' || n, '/a', 1, repeat('a', 64),
          timestamptz '${FIRST_DAY} 00:00Z' + n * interval '${DAYS} days' / ${IMPORTS},
          case when n > ${IMPORTS} - 20 then 'inserting' when n % ${RARE} = 3 then 'failed' else 'completed' end, now(),
          case when n <= ${0.9 * IMPORTS} then now() end
     from generate_series(1, ${IMPORTS}) n
    cross join lateral (select case when n % ${RARE} = 1 then 'rare' else 'frequent' end as client) made`,
  `insert into submission (uuid, zip_import_id, entry_index, entry_path, xml_file, product_id, product_type_code, product_type,
     status, job_id, warnings, content_hash, section_hashes, sections, created_at, updated_at)
   select gen_random_uuid(), i, n, n || '.xml', n || '.xml', '10001-25-' || lpad(((i * 7 + n) % 20000)::text, 5, '0'), 1, 'Other',
          case when i > ${IMPORTS} - 20 then 'regulator_inserting' when i % ${RARE} = 4 then 'regulator_insert_failed'
               else 'regulator_inserted' end,
          gen_random_uuid(), '[]', repeat('a', 64), '{}', '{}', now(), now() + n * interval '1 second'
     from generate_series(1, ${IMPORTS}) i, generate_series(1, ${PRODUCTS_OF_EACH}) n`,
  `insert into zip_import_file (zip_import_id, entry_index, entry_path, xml_file, kind, outcome, reasons)
   select i, 99, 'x.xml', 'x.xml', 'product', case when i % ${RARE} = 5 then 'failed' else 'skipped' end, '[]'
     from generate_series(1, ${IMPORTS}) i`,
  `insert into audit_event (actor, action, import_id, submission_id)
   select 'workflow:x', 'submission.regulator_inserted', 1, n from generate_series(1, ${IMPORTS * PRODUCTS_OF_EACH}) n`,
  `insert into audit_event (actor, action) select 'client:x', 'import.list_read' from generate_series(1, ${IMPORTS}) n`,
  `insert into audit_event (actor, action) values ('person:x', 'inserting.paused')`,
  `insert into audit_event (actor, action, import_id, submission_id)
   select 'workflow:x', 'submission.regulator_inserted', 1, n from generate_series(1, ${IMPORTS * PRODUCTS_OF_EACH}) n`,
];

const { url } = await createTestDatabase();
for (const statement of MADE_UP) await runSql(url, statement);
await runSql(url, 'vacuum analyze');
const watched = await watchPlans(url);
const repositories = repositoriesOf();
atEnd(() => watched.orm.close(true));

function repositoriesOf() {
  const { orm } = watched;
  return {
    auditTrail: createAuditTrailRepository(orm),
    digests: createDigestRepository(orm),
    imports: createImportRepository(orm),
    retention: createRetentionRepository(orm),
    statistics: createStatisticsRepository(orm),
    submissions: createSubmissionRepository(orm),
  };
}

/** Blocks of 8 KiB that a plan has touched, and the rows that its scans have read, discarded ones included. */
function costOf(plans: readonly string[]) {
  const blocks = plans.map((plan) => {
    const [, hit = 0] = /Buffers: shared hit=(\d+)/.exec(plan) ?? [];
    const [, read = 0] = /Buffers: shared (?:hit=\d+ )?read=(\d+)/.exec(plan) ?? [];
    return Number(hit) + Number(read);
  });
  return { plan: plans.join('\n'), blocks: blocks.reduce((sum, one) => sum + one, 0) };
}

const WHOLE_TABLES = /Seq Scan on (?:submission|zip_import|zip_import_file)\b/;

async function cost(work: () => Promise<unknown>, name = '') {
  const { plan, blocks } = costOf(await watched.plansOf(work));
  expect(plan, name).toMatch(/Query|select|insert/i);
  expect(plan, name).not.toMatch(WHOLE_TABLES);
  if (process.env.SHOW_PLANS) process.stdout.write(`\n## ${name}: ${blocks} blocks\n${plan}\n`);
  return { plan, blocks };
}

const PAGE = { limit: 50 };
const day = (n: number) => new Date(Date.parse(`${FIRST_DAY}T00:00:00Z`) + n * 86_400_000);
const dayName = (n: number) => day(n).toISOString().slice(0, 10);

describe('a page of imports is read in the order of an index', () => {
  const middle = { from: day(100), until: day(200) };
  it.each([
    ['of all clients', {}],
    ['of a frequent tenant', { tenant: 'frequent' }],
    ['of a rare tenant', { tenant: 'rare' }],
    ['of a frequent client', { clientId: 'frequent' }],
    ['of a rare client', { clientId: 'rare' }],
    ['of a status', { status: 'failed' }],
    ['of a status and a tenant', { status: 'failed', tenant: 'frequent' }],
    ['of a status and a client', { status: 'failed', clientId: 'frequent' }],
    ['of a time', middle],
    ['of a time and a client', { ...middle, clientId: 'rare' }],
    ['of a time and a status', { ...middle, status: 'failed' }],
    ['of everything', { ...middle, status: 'completed', tenant: 'frequent' }],
  ] as const)('%s', async (name, search) => {
    for (const before of [undefined, IMPORTS / 2]) {
      const { plan, blocks } = await cost(() => repositories.imports.list(search, { ...PAGE, before }), name);
      expect(plan).toMatch(/Index (?:Only )?Scan Backward using zip_import_\w*uploaded_at_id_index/);
      expect(blocks).toBeLessThan(500);
    }
  });
});

it('events of rare actions are found among the events of all products', async () => {
  const actions = ['inserting.paused', 'inserting.resumed', 'regulator-session.active'];
  for (const actor of [undefined, 'person:x']) {
    const found: unknown[] = [];
    const { blocks } = await cost(async () => {
      const { events } = await repositories.auditTrail.list({ actions, actor }, PAGE);
      found.push(...events);
    }, 'audit');
    expect(found).toHaveLength(1);
    expect(blocks).toBeLessThan(50);
  }
});

describe('a search without an index is limited to a number of imports', () => {
  it.each([
    ['a rare text', { comment: 'needle' }],
    ['a text that is nowhere', { fileName: 'nowhere' }],
    ['a text that is nowhere, of a tenant', { fileName: 'nowhere', tenant: 'frequent' }],
    ['rare failures', { hasFailures: true }],
    ['failures of a client and a status', { hasFailures: true, clientId: 'frequent', status: 'completed' }],
    ['all together', { comment: 'hay', fileName: 'zip', hasFailures: true, from: day(10), until: day(290) }],
  ] as const)('%s', async (name, search) => {
    const found: number[] = [];
    let before: number | undefined;
    for (let pages = 0; pages < 2; pages += 1) {
      let next: number | null = null;
      const { plan, blocks } = await cost(async () => {
        const page = await repositories.imports.list(search, { limit: 200, before });
        found.push(...page.records.map(({ id }) => id));
        next = page.nextBefore;
      }, name);
      expect(maxRows(plan)).toBeLessThanOrEqual(SCAN_LIMIT + 1);
      // For each import its row and two lookups in small indexes.
      expect(blocks).toBeLessThan(SCAN_LIMIT * 10);
      if (next === null) throw new Error('there is more to be looked at');
      before = next;
    }
    expect(new Set(found).size).toBe(found.length);
    if (name.startsWith('rare')) expect(found.length).toBeGreaterThan(50);
  });

  it('counts are limited to the same number of imports', async () => {
    for (const search of [{}, { clientId: 'frequent' }, { hasFailures: true }, { comment: 'needle' }]) {
      let complete = true;
      const { plan, blocks } = await cost(
        async () => {
          ({ complete } = await repositories.imports.countListed(search));
        },
        `counts ${JSON.stringify(search)}`,
      );
      expect(complete).toBe(false);
      expect(maxRows(plan)).toBeLessThanOrEqual(SCAN_LIMIT + 1);
      expect(blocks).toBeLessThan(SCAN_LIMIT * 10);
    }
  });
});

describe('a product', () => {
  it.each(['rare', 'frequent', undefined])('over all imports of %s', async (tenant) => {
    const filter = { tenant, productId: '10001-25-00777' };
    const { plan, blocks } = await cost(
      () => repositories.submissions.list(filter, { limit: 50 }),
      'product',
    );
    // With so few rows of a product, the order of either index costs the same.
    expect(plan).toMatch(/submission_product_id_(?:id_index|zip_import_id_unique)/);
    expect(blocks).toBeLessThan(500);
  });
});

it('a digest is read from the imports that ended on its day', async () => {
  const { blocks } = await cost(() => repositories.digests.ofDay('frequent', dayName(150), 200), 'digest');
  expect(blocks).toBeLessThan(50);
});

it('expired packages are found among those that are kept', async () => {
  const expiry = { uploadedBefore: day(0.9 * DAYS), failedBefore: day(0.9 * DAYS) };
  const { blocks } = await cost(() => repositories.retention.expiredImports(expiry, 0, 500), 'expired');
  expect(blocks).toBeLessThan(500);
});

describe('statistics', () => {
  it('a day is counted from its own imports', async () => {
    const { plan, blocks } = await cost(() => repositories.statistics.countDay(dayName(150)), 'a day');
    expect(plan).toMatch(/Index (?:Only )?Scan using zip_import_\w*uploaded_at_id_index/);
    // 100 imports with 1,000 products, stored together.
    expect(blocks).toBeLessThan(5_000);
  });

  it('stored bytes are read from an index of the stored packages', async () => {
    for (const owner of [{}, { clientId: 'rare' }, { tenant: 'rare' }]) {
      const { plan, blocks } = await cost(() => repositories.statistics.stored(owner, 200), 'stored');
      // An operator's query of one client may read the index of its imports.
      if (!('clientId' in owner)) expect(plan).toMatch(/Index Only Scan using zip_import_kept_index/);
      expect(blocks).toBeLessThan(500);
    }
  });

  it('days to count are found by an index of days', async () => {
    const { blocks } = await cost(() => repositories.statistics.daysDue(100), 'due');
    expect(blocks).toBeLessThan(100);
  });

  it('running imports are read from an index of running imports', async () => {
    for (const owner of [{}, { clientId: 'frequent' }, { tenant: 'frequent' }]) {
      const { plan, blocks } = await cost(() => repositories.statistics.waiting(owner, 200), 'waiting');
      expect(plan).toMatch(/Index (?:Only )?Scan (?:using|on) submission_status\w*_index/);
      expect(blocks).toBeLessThan(2_000);
    }
  });

  it('a list over years reads few rows', async () => {
    const clients = 20;
    for (const [span, count] of [
      ['day', 3_650],
      ['hour', 24 * 365],
    ] as const)
      await watched.orm.em.fork().execute(
        `insert into statistics_line (span, begins_at, owner, is_tenant, client_id, imports, products, failures, received_bytes)
         select '${span}', timestamptz '2000-01-02Z' + n * interval '1 ${span}', 'client-' || c, false, 'client-' || c, '{}', '{}', '{}', 0
           from generate_series(0, ${count - 1}) n, generate_series(1, ${clients}) c`,
      );
    await watched.orm.em
      .fork()
      .execute(
        `insert into statistics_day (day, counted_at) select date '2000-01-01' + d, now() from generate_series(1, 3650) d`,
      );
    await watched.orm.em.fork().execute('analyze statistics_line, statistics_day');
    for (const filter of [
      { from: '2001-01-01', to: '2009-01-01' },
      { from: '2000-01-01', to: '2000-09-01' },
      { before: { beginsAt: new Date('2000-06-06T06:00:00Z'), clientId: 'client-3' } },
      { clientId: 'client-7' },
      { tenant: 'client-7' },
      { from: '2001-01-01', before: { beginsAt: new Date('2005-05-05'), clientId: 'client-3' } },
    ])
      for (const span of SPANS) {
        const lines = () => repositories.statistics.lines(span, filter, 51);
        const { plan, blocks } = await cost(lines, `${span} ${JSON.stringify(filter)}`);
        expect(plan).not.toContain('Seq Scan on statistics_line');
        expect(blocks).toBeLessThan(500);
      }
  });
});

/** The most rows that one node of a plan has returned or discarded, over all its executions. */
function maxRows(plan: string): number {
  const counts = [...plan.matchAll(/(?:actual time=\S+ rows=|Rows Removed by Filter: )([\d.]+)/g)];
  return Math.max(...counts.map(([, rows]) => Number(rows)));
}
