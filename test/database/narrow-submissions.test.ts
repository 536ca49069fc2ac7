/** Columns of a submission that never change are stored out of line: updates are small (decision §postgresql). */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createdFile, newImport, openTestDatabase } from '../support/database.ts';
import { runSql } from '../support/servers.ts';

const PRODUCTS = 60;
const PAGE_BYTES = 8192;

it('updates of a submission write few bytes: sections and XML are stored elsewhere', async () => {
  const { database, url } = await openTestDatabase();
  const importId = await newImport(database);
  const files = Array.from({ length: PRODUCTS }, (_, index) => ({
    // As large as the values of genuine files, and as hard to compress.
    ...createdFile(`99962-26-${10_000 + index}`, index, randomBytes(150).toString('hex')),
    rawXml: randomBytes(900),
  }));
  await database.reading.record(importId, null, files);
  const [size] = await runSql<{ main: number; content: number }>(
    url,
    `select pg_relation_size('submission')::int as main,
       (select sum(pg_column_size(sections) + pg_column_size(raw_xml))::int from submission) as content`,
  );
  await database.close();
  expect((size?.content ?? 0) / PRODUCTS).toBeGreaterThan(1_400);
  expect(size?.main).toBeLessThan(Math.ceil((PRODUCTS * 700) / PAGE_BYTES) * PAGE_BYTES);
});
