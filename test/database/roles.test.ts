/**
 * deploy/database-roles.sql: the service works with a role that can change rows, but neither the schema nor
 * the audit trail.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, migrate, openDatabase } from '../../src/database/index.ts';
import { newImport, newSubmission, reportOf } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';
import { createTestDatabase, runSql } from '../support/services/servers.ts';

const PASSWORD = 'roles-of-the-tests';
const SQL = new URL('../../deploy/database-roles.sql', import.meta.url);

let admin: string;
let service: string;
let database: Database;

beforeAll(async () => {
  const { url, number } = await createTestDatabase();
  // Roles belong to the whole server: parallel tests may use the same ones.
  const [name, owner, restricted] = [`roles_${number}`, `owner_${number}`, `service_${number}`];
  const as = (role: string) => {
    const parsed = Object.assign(new URL(url), { username: role, password: PASSWORD });
    parsed.pathname = `/${name}`;
    return parsed.href;
  };
  await runSql(url, `create role ${owner} login password '${PASSWORD}'`);
  await runSql(url, `create database ${name} owner ${owner}`);
  admin = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  service = as(restricted);
  const grants = (await readFile(SQL, 'utf8'))
    .replaceAll('package_import_service', restricted)
    .replaceAll('role package_import in', `role ${owner} in`);
  // Before the tables exist, and again afterwards: both orders must work.
  await runSql(admin, grants);
  await migrate(as(owner));
  await runSql(admin, grants);
  await runSql(admin, `alter role ${restricted} password '${PASSWORD}'`);
  database = await openDatabase({
    url: service,
    poolSize: 2,
    encryptionSecret: 'a secret of the tests only',
  });
});
afterAll(() => database?.close());

it('is enough for what gateways and workers do', async () => {
  const { importId } = await newSubmission(database, newProductId());
  await newImport(database, { email: 'person@company.example' });
  await database.regulatorSession.storePendingLogin('login', 'client:test');
  await database.regulatorPace(10).turn();
  expect(await reportOf(database, importId)).toMatchObject({ submissions: [{}] });
  expect((await database.auditTrail.list({}, { limit: 10 })).length).toBeGreaterThan(2);
  expect(await database.idempotency.removeExpired()).toBe(0);
  await database.imports.fail(importId, 'broken', 'client:test');
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
  "update audit_event set actor = 'nobody'",
])('cannot %s', async (statement) => {
  await expect(runSql(service, statement)).rejects.toThrow(/must be owner|permission denied|append-only/);
});
