/**
 * Frequent statements of the service use an index, independent of the number of submissions. More: `npm run prove --
 * plans`.
 */

import { describe, expect, it } from 'vitest';
import { findKnown, type Known } from '../../activities/reading/known-records.ts';
import type { ReadProduct } from '../../activities/reading/product-files.ts';
import { connect } from '../../src/database/orm.ts';
import { createProductHistoryRepository } from '../../src/database/repositories/product-history.ts';
import { createReferredFileRepository } from '../../src/database/repositories/referred-files.ts';
import { parseProduct } from '../../src/products/parse-product.ts';
import { watchPlans } from '../large/executed-plans.ts';
import { hotLookUps, nightly } from '../large/look-ups.ts';
import { FREQUENT, type MadeUp, makeUpRows, productIdOf } from '../large/made-up-rows.ts';
import { atEnd } from '../support/cleanup.ts';
import { productXml } from '../support/product-xml.ts';
import { createTestDatabase } from '../support/servers.ts';

const ROWS = 20_000;
const { url } = await createTestDatabase();
const orm = await connect(url);
const madeUp: MadeUp = await makeUpRows(orm, ROWS);
await orm.close(true);
const watched = await watchPlans(url);
const NEEDED = 'attachments that are needed';
const lookUps = { ...hotLookUps(watched.orm, madeUp), [NEEDED]: nightly(watched.orm)[NEEDED] };
atEnd(() => watched.orm.close(true));

/** The largest number of rows that one node of the plans has read and discarded. */
function removedRows(plans: readonly string[]): number {
  const counts = plans.flatMap((plan) => [...plan.matchAll(/Rows Removed by Filter: ([\d.]+)/g)]);
  return Math.max(0, ...counts.map(([, count]) => Number(count)));
}

describe('an index serves', () => {
  it('every look-up', async () => {
    for (const [name, look] of Object.entries(lookUps)) {
      const plans = await watched.plansOf(look);
      expect(plans.length, name).toBeGreaterThan(0);
      // Other tables are small enough here for a full scan.
      expect(plans.join('\n'), name).not.toContain('Seq Scan on submission ');
      expect(removedRows(plans), name).toBeLessThan(1_000);
    }
  });

  it.each([
    ['of a client that has long been silent', 'submission_tenant_id_index'],
    ['of a client that has long been silent, the next page', 'submission_tenant_id_index'],
    // With so few rows the index without the status costs the same.
    ['of a client that has long been silent, failed', 'submission_(?:status_)?tenant_id_index'],
    ['of a frequent client', '_(?:tenant_id_index|pkey)'],
  ] as const)('the submissions %s, in its order', async (name, index) => {
    const plans = (await watched.plansOf(lookUps[name])).join('\n');
    expect(plans).toMatch(new RegExp(`Index Scan Backward using \\w*${index}`));
    expect(plans).not.toContain('Sort Key');
  });

  it('a batch of products with three statements, their history included', async () => {
    const read = parseProduct(Buffer.from(productXml()));
    if (!read.ok) throw new Error('the product is not read');
    const batch = Array.from({ length: 32 }, (_, n): ReadProduct => {
      const product = { ...read.product, productId: productIdOf(n + 1) };
      const file = { kind: 'product', index: n, path: `${n}.xml`, name: `${n}.xml`, sizeBytes: 1 } as const;
      return { file, gzip: null, result: { ...read, product } };
    });
    const database = {
      productHistory: createProductHistoryRepository(watched.orm),
      referredFiles: createReferredFileRepository(watched.orm),
    };
    let known: Known | undefined;
    const plans = await watched.plansOf(async () => {
      known = await findKnown(database, { tenant: FREQUENT, importId: null }, batch);
    });
    expect(plans).toHaveLength(3);
    expect([...(known?.latest.values() ?? [])].some(({ inserted }) => inserted !== null)).toBe(true);
  });

  it('every foreign key, for deletes', async () => {
    const missing = await watched.orm.em.fork().execute(
      `select c.conrelid::regclass::text as table, c.conname from pg_constraint c
        where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
          select 1 from pg_index i where i.indrelid = c.conrelid and i.indisvalid
             and (i.indkey::int2[])[0:array_length(c.conkey, 1) - 1] = c.conkey)`,
    );
    expect(missing).toEqual([]);
  });
});
