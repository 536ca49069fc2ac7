/**
 * A page of large submissions ends early, so that its memory is known before it is read (decision
 * §reading-has-a-budget).
 */
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { createdFile, newImport, newSubmission, openTestDatabase } from '../support/database.ts';
import { newProductId } from '../support/product-xml.ts';

const { database } = await openTestDatabase();

/** An import whose submissions have warnings of so many bytes, in order. */
async function importOf(sizes: readonly number[]): Promise<number> {
  const importId = await newImport(database);
  const files = sizes.map((bytes, n) => {
    const file = createdFile(newProductId(), n);
    return { ...file, product: { ...file.product, warnings: [plainReason('x'.repeat(bytes))] } };
  });
  await database.reading.record(importId, null, files);
  return importId;
}

/** The number of entries of each page. */
async function pagesOf(importId: number, limit: number): Promise<number[]> {
  const lengths: number[] = [];
  const found: number[] = [];
  for (let before: number | undefined; ; before = found.at(-1)) {
    const { page, next } = await database.submissions.list({ importId }, { limit, before });
    lengths.push(page.length);
    found.push(...page.map(({ id }) => id));
    if (next === null) break;
    expect(next.id).toBeLessThan(found.at(-1) ?? 0);
  }
  expect(found).toEqual([...new Set(found)].sort((a, b) => b - a));
  return lengths;
}

const KIB = 1024;

it.each([
  ['small ones fill every page', Array(7).fill(10), 3, [3, 3, 1]],
  ['a full last page is the last', Array(6).fill(10), 3, [3, 3]],
  ['large ones end a page before its limit', Array(5).fill(60 * KIB), 4, [2, 2, 1]],
  ['one that is too large for a page is alone in it', [10, 200 * KIB, 10], 3, [1, 1, 1]],
  ['more than are read at a time', Array(120).fill(10), 110, [110, 10]],
])('%s', async (_title, sizes, limit, lengths) => {
  expect(await pagesOf(await importOf(sizes), limit)).toEqual(lengths);
});

it('the size of a product file is known before it is read', async () => {
  const { id } = await newSubmission(database, newProductId());
  const gzip = await database.submissions.gzippedXml(id);
  expect(gunzipSync(gzip ?? '').toString()).toBe('<x/>');
  expect(await database.submissions.gzippedXmlBytes(id)).toBe(gzip?.length);
  expect(await database.submissions.gzippedXmlBytes(id + 1_000_000)).toBeNull();
  expect(await database.submissions.gzippedXml(id + 1_000_000)).toBeNull();
});
