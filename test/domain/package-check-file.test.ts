/** The report of a check is written and read line by line, and is JSON all the same. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VERDICTS } from '../../src/contract/statuses.ts';
import type { DryRunProduct } from '../../src/contract/types.ts';
import type { UnreadableFile } from '../../src/domain/package-check.ts';
import { readCheck, writtenCheck } from '../../src/domain/package-check-file.ts';

const words = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\n', '\u2028', '],"unreadable":[', ']}', ','),
);
const reasons = fc.array(
  fc.record({ path: fc.option(words), line: fc.option(fc.nat()), check: fc.option(words), text: words }),
  { maxLength: 3 },
);
const product: fc.Arbitrary<DryRunProduct> = fc.record({
  xml_file: words,
  product_id: fc.option(words),
  product_type: fc.option(words),
  outcome: fc.constantFrom(...VERDICTS),
  changed_sections: fc.constant([]),
  reasons,
  warnings: reasons,
});
const unreadable: fc.Arbitrary<UnreadableFile> = fc.record({
  kind: fc.constantFrom('attachment', 'submitter', 'other'),
  xmlFile: words,
  reasons,
});
const pages = fc.array(fc.array(product, { maxLength: 3 }), { maxLength: 3 });
const files = fc.array(unreadable, { maxLength: 3 });

async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

/** Read in pieces of a few characters, however lines and characters are cut. */
async function read(report: string) {
  const pieces = Readable.from(report.match(/.{1,7}/gs) ?? []);
  const lines = await Array.fromAsync(readCheck(pieces));
  return {
    products: lines.flatMap((line) => ('product' in line ? [line.product] : [])),
    unreadable: lines.flatMap((line) => ('unreadable' in line ? [line.unreadable] : [])),
  };
}

describe('the report of a check', () => {
  it('is read as it was written, as lines and as JSON', async () => {
    const property = fc.asyncProperty(pages, files, async (products, unreadable) => {
      const report = await text(Readable.from(writtenCheck(each(products), unreadable)));
      const check = { products: products.flat(), unreadable };
      // The encoding replaces a lone surrogate, which does not concern the lines.
      const written = JSON.parse(report);
      expect(written).toEqual(JSON.parse(JSON.stringify(check)));
      expect(await read(report)).toEqual(written);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
