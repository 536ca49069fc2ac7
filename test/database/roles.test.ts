/**
 * deploy/database-roles.sql: the service works with a role that can change rows, but neither the schema nor
 * the audit trail.
 */
import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Database } from '../../src/database/index.ts';
import { migrate } from '../../src/database/migrations.ts';
import { warnAboutTableOwner } from '../../src/processes/shared/parts.ts';
import { invalidPackage, newImport, newSubmission, openAgain, reportOf } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';

const PASSWORD = 'roles-of-the-tests';
const SQL = new URL('../../deploy/database-roles.sql', import.meta.url);

let admin: string;
let owner: string;
let service: string;
let database: Database;
let rightsAfterMigration: Record<string, string>;
let rightsAfterGrants: Record<string, string>;

/** Rights of a role by table. */
async function rightsOf(role: string): Promise<Record<string, string>> {
  const rows = await runSql<{ name: string; rights: string }>(
    admin,
    `select relname as name, string_agg(lower(privilege_type), ' ' order by privilege_type) as rights
     from pg_class, aclexplode(relacl)
     where relkind = 'r' and relnamespace = 'public'::regnamespace and grantee = '${role}'::regrole
     group by relname`,
  );
  return Object.fromEntries(rows.map(({ name, rights }) => [name, rights]));
}

beforeAll(async () => {
  const { url, number } = await createTestDatabase();
  // Roles belong to the whole server: parallel tests may use the same ones.
  const [name, owning, restricted] = [`roles_${number}`, `owner_${number}`, `service_${number}`];
  const as = (role: string) => {
    const parsed = Object.assign(new URL(url), { username: role, password: PASSWORD });
    parsed.pathname = `/${name}`;
    return parsed.href;
  };
  await runSql(url, `create role ${owning} login password '${PASSWORD}'`);
  await runSql(url, `create database ${name} owner ${owning}`);
  admin = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  service = as(restricted);
  const grants = (await readFile(SQL, 'utf8'))
    .replaceAll('package_import_service', restricted)
    .replaceAll('role package_import in', `role ${owning} in`);
  owner = as(owning);
  // As docker-compose.yml does: nobody has a right that was not given.
  await runSql(admin, `revoke connect on database ${name} from public`);
  // Before the tables exist, and again afterwards: both orders must work.
  await runSql(admin, grants);
  await migrate(owner);
  rightsAfterMigration = await rightsOf(restricted);
  await runSql(admin, grants);
  rightsAfterGrants = await rightsOf(restricted);
  await runSql(admin, `alter role ${restricted} password '${PASSWORD}'`);
  database = await openAgain(service);
});

it('the role of the service suffices for gateways and workers', async () => {
  const { importId } = await newSubmission(database, newProductId());
  await newImport(database, { notificationEmail: 'person@company.example' });
  await database.regulatorSession.storePendingLogin('login', 'client:test');
  await database.regulatorRateLimit(10).acquire();
  expect(await reportOf(database, importId)).toMatchObject({ submissions: [{}] });
  expect((await database.auditTrail.list({}, { limit: 10 })).events.length).toBeGreaterThan(2);
  expect(await database.idempotency.removeExpired()).toBe(0);
  await database.imports.fail(importId, invalidPackage('broken'), 'client:test');
});

it('the role of the service can add to the audit trail, and read the list of migrations, in either order', () => {
  for (const rights of [rightsAfterMigration, rightsAfterGrants]) {
    const { audit_event, mikro_orm_migrations, ...others } = rights;
    expect([audit_event, mikro_orm_migrations]).toEqual(['insert select', 'select']);
    expect(Object.keys(others).length).toBeGreaterThan(15);
    expect(new Set(Object.values(others))).toEqual(new Set(['delete insert select update']));
  }
});

it('a process with the role that owns the tables warns about it at start, unless the database is embedded', async () => {
  const warn = vi.fn();
  const as = { database: { embedded: false } } as Parameters<typeof warnAboutTableOwner>[0];
  await warnAboutTableOwner(as, database, { warn });
  expect(warn).not.toHaveBeenCalled();
  const owning = await openAgain(owner);
  const embedded = { database: { ...as.database, embedded: true } };
  await warnAboutTableOwner(embedded, owning, { warn });
  expect(warn).not.toHaveBeenCalled();
  await warnAboutTableOwner(as, owning, { warn });
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('owns the table audit_event'));
});

it.each([
  'create table more (id int)',
  'drop table submission',
  'alter table submission add column more int',
  'alter table audit_event disable trigger all',
  'drop trigger audit_event_no_truncate on audit_event',
  'create or replace function audit_event_audit_event_append_only_fn() returns trigger as $$ begin return null; end; $$ language plpgsql',
  'truncate audit_event',
  'delete from audit_event',
  "update audit_event set action = 'nothing'",
  'update audit_event set detail = null',
  "update audit_event set actor = 'nobody'",
  'delete from mikro_orm_migrations',
])('the role of the service cannot %s', async (statement) => {
  await expect(runSql(service, statement)).rejects.toThrow(
    statement.includes('actor') ? /append-only/ : /must be owner|permission denied/,
  );
});
