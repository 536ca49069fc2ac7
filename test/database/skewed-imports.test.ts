/**
 * A few imports have almost all products, most have none: PostgreSQL then expects thousands of rows of every import, and
 * would rather read the whole table for each.
 */
import { expect, it } from 'vitest';
import { createImportRepository } from '../../src/database/repositories/imports.ts';
import { watchPlans } from '../large/executed-plans.ts';
import { atEnd } from '../support/cleanup.ts';
import { createTestDatabase, runSql } from '../support/servers.ts';

const IMPORTS = 4_000;
const PRODUCTS = 10_000;

const MADE_UP = [
  `insert into zip_import (uuid, client_id, tenant, file_name, storage_key, zip_file_path, size_bytes, sha256, uploaded_at, status)
   select gen_random_uuid(), 'a', 'a', n || '.zip', n, '/a', 1, repeat('a', 64), now(), 'completed' from generate_series(1, ${IMPORTS}) n`,
  `insert into submission (uuid, zip_import_id, entry_index, entry_path, xml_file, product_id, product_type_code, product_type,
     status, warnings, content_hash, section_hashes, sections, created_at, updated_at)
   select gen_random_uuid(), i, n, n, n || '.xml', '10001-25-' || lpad(n::text, 5, '0'), 1, 'Other', 'regulator_insert_failed',
          '[]', repeat('a', 64), '{}', '{}', now(), now()
     from generate_series(1, 2) i, generate_series(1, ${PRODUCTS}) n`,
];

const { url } = await createTestDatabase();
for (const statement of MADE_UP) await runSql(url, statement);
await runSql(url, 'vacuum analyze');
const { orm, plansOf } = await watchPlans(url);
atEnd(() => orm.close(true));
const imports = createImportRepository(orm);

it('a list and a count of imports with failures read an index for each import', async () => {
  const search = { hasFailures: true };
  const found: unknown[] = [];
  const plans = await plansOf(async () => {
    found.push((await imports.list(search, { limit: 200 })).records.map(({ id }) => id));
    found.push((await imports.countListed(search)).byStatus.completed);
  });
  expect(found).toEqual([[2, 1], 2]);
  expect(plans.join('\n')).toContain('submission_not_inserted_index');
  expect(plans.join('\n')).not.toMatch(/Seq Scan on (?:submission|zip_import_file)\b/);
});
