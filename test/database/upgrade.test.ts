/**
 * Migrates every release to the current schema while old processes run (deploy/upgrades.md): rows stay
 * readable, statements of the old processes still run, and no new column is required of them.
 */
import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/database/migrations.ts';
import { VERSION } from '../../src/processes/shared/logger.ts';
import { createdFile, openAgain, reportOf } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { runSql } from '../support/servers.ts';
import { type Catalog, catalogOf, incompatibilities } from './support/catalog.ts';
import { databaseOf, fill, type Release, readReleases } from './support/releases.ts';

const releases = await readReleases();
const newest = releases.at(-1) as Release;

/**
 * Reviewed migrations since the newest release: possible conflicts with its processes, and why they do not
 * occur. Cleared with each release.
 */
const JUDGED: Record<string, string> = {};

it('the recording of the current release has the current schema', async () => {
  const present = releases.find(({ version }) => version === VERSION);
  if (!present) return;
  const migrations = (await readdir(new URL('../../src/database/migrations', import.meta.url))).sort();
  expect(present.lastMigration).toBe(migrations.at(-1)?.replace(/\.ts$/, ''));
});

describe.each(releases)('the database of $version', (release) => {
  let url: string;
  let before: Catalog;
  beforeAll(async () => {
    url = await databaseOf(release);
    await fill(url, release);
    before = await catalogOf(url);
    await migrate(url);
  });

  it('keeps its rows', async () => {
    for (const [table, rows] of Object.entries(release.rows)) {
      const [counted] = await runSql<{ count: string }>(url, `select count(*) from "${table}"`);
      expect(Number(counted?.count), table).toBeGreaterThanOrEqual(rows.length);
    }
  });

  it('is read and written by the current code', async () => {
    const database = await openAgain(url);
    for (const row of release.rows.zip_import ?? []) {
      const importId = row.id as number;
      const { submissions } = await reportOf(database, importId);
      const old = (release.rows.submission ?? []).filter(({ zip_import_id }) => zip_import_id === importId);
      expect(submissions.map(({ productId, status }) => [productId, status])).toEqual(
        old.map(({ product_id, status }) => [product_id, status]),
      );
    }
    const open = release.rows.zip_import?.find(({ completed_at }) => completed_at === null)?.id as number;
    await database.reading.record(open, null, [createdFile(newProductId(), 99)]);
    expect((await reportOf(database, open)).submissions.length).toBeGreaterThan(1);
  });

  it('accepts every statement of its own release', async () => {
    expect(release.statements.length).toBeGreaterThan(50);
    const refused: string[] = [];
    for (const statement of release.statements)
      await runSql(url, `prepare statement_of_before as ${statement}; deallocate statement_of_before`).catch(
        (error: Error) => refused.push(`${error.message}: ${statement}`),
      );
    expect(refused).toEqual([]);
  });

  it.runIf(release === newest)('requires no new values from its own release', async () => {
    const found = incompatibilities(before, await catalogOf(url));
    const unjudged = Object.entries(found).filter(([what]) => !Object.hasOwn(JUDGED, what));
    expect(unjudged).toEqual([]);
    expect(Object.keys(JUDGED).filter((what) => !Object.hasOwn(found, what))).toEqual([]);
  });

  it('lets processes of its own release start', async () => {
    // Old processes do not know the current migrations.
    await runSql(url, `insert into mikro_orm_migrations (name) values ('29990101000000-of-the-future')`);
    await openAgain(url);
  });
});

describe('a migration', () => {
  let url: string;
  let before: Catalog;
  beforeAll(async () => {
    url = await databaseOf(newest);
    before = await catalogOf(url);
  });

  it.each([
    ['drop table notification', 'notification.email', 'is gone'],
    ['alter table submission drop column comment', 'submission.comment', 'is gone'],
    ['alter table submission rename column comment to remark', 'submission.comment', 'is gone'],
    ['alter table submission rename to product', 'submission.comment', 'is gone'],
    [
      'alter table submission alter column comment type varchar(100)',
      'submission.comment',
      'was text and is character varying(100)',
    ],
    [
      'alter table submission alter column comment set not null',
      'submission.comment',
      'is required and was not',
    ],
    [
      'alter table webhook_delivery alter column attempts drop default',
      'webhook_delivery.attempts',
      'is required and has lost its default',
    ],
    [
      'alter table submission add column country text not null',
      'submission.country',
      'is new, required and has no default',
    ],
    [
      'alter table submission add constraint short check (length(comment) < 10)',
      'submission: short',
      'is a new rule',
    ],
    [
      `alter table zip_import drop constraint zip_import_status_check, add constraint zip_import_status_check check (status in ('completed'))`,
      'zip_import: zip_import_status_check',
      'is another rule',
    ],
    ['create unique index one_name on zip_import (file_name)', 'zip_import: one_name', 'is a new rule'],
  ])('that would %s is detected', async (change, what, finding) => {
    expect(incompatibilities(before, await catalogOf(url, change))[what]).toBe(finding);
  });

  it.each([
    'alter table submission add column country text',
    `alter table submission add column country text not null default 'SE'`,
    'alter table submission alter column product_type drop not null',
    'create table country (code text primary key)',
    'create index submission_comment on submission (comment)',
  ])('that would %s is accepted', async (change) => {
    expect(incompatibilities(before, await catalogOf(url, change))).toEqual({});
  });
});
