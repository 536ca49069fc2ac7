/** The notes of a file are bounded; the report of a check is read as it was written. */

import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainReason } from '../../src/contract/reasons.ts';
import { VERDICTS } from '../../src/contract/statuses.ts';
import type { DryRunProduct } from '../../src/contract/types.ts';
import { BoundedNotes, bytesOf, NOTES_OF_A_FILE, shortened } from '../../src/domain/notes.ts';
import { readCheck, type UnreadableFile, writtenCheck } from '../../src/domain/package-check.ts';

const note = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'binary', minLength: 900, maxLength: 1100 }),
  fc.nat(3000).map((length) => '🚬'.repeat(length)),
);

/** Room for the note that counts the others. */
const LAST = 80;

function kept(notes: readonly string[], bounds = NOTES_OF_A_FILE): BoundedNotes {
  const bounded = new BoundedNotes(bounds);
  for (const one of notes) bounded.add(() => ({ ...plainReason(one), path: 'Product/Design', line: 7 }));
  return bounded;
}

describe('notes of one file', () => {
  it('are bounded in number and bytes, in order, and the count includes all', () => {
    fc.assert(
      fc.property(
        fc.array(note, { maxLength: 300 }),
        fc.record({ notes: fc.integer({ min: 0, max: 150 }), bytes: fc.integer({ min: 0, max: 20_000 }) }),
        (notes, bounds) => {
          const { list: reasons, count } = kept(notes, bounds);
          const list = reasons.map(({ text }) => text);
          expect(count).toBe(notes.length);
          expect(list.length).toBeLessThanOrEqual(bounds.notes + 1);
          expect(bytesOf(reasons)).toBeLessThanOrEqual(bounds.bytes + LAST);
          const all = !/^… and \d+ more$/.test(list.at(-1) ?? '');
          const whole = all ? list : list.slice(0, -1);
          expect(whole).toEqual(notes.slice(0, whole.length).map((one) => shortened(one)));
          if (!all) expect(list.at(-1)).toBe(`… and ${notes.length - whole.length} more`);
        },
      ),
    );
  });

  it('are valid text for PostgreSQL, also when they were shortened', () => {
    const { list } = kept([`${'x'.repeat(999)}🚬`]);
    expect(list[0]?.text.isWellFormed()).toBe(true);
  });

  it('are not formatted when they would only be counted', () => {
    const notes = kept(Array.from({ length: 101 }, () => 'a note'));
    notes.add(() => {
      throw new Error('nobody needs it');
    });
    expect(notes.list).toHaveLength(101);
    expect(notes.list.at(-1)).toEqual(plainReason('… and 2 more'));
  });
});

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
  it('is read as it was written', async () => {
    const property = fc.asyncProperty(pages, files, async (products, unreadable) => {
      const report = await text(Readable.from(writtenCheck(each(products), unreadable)));
      const written = JSON.parse(JSON.stringify({ products: products.flat(), unreadable }));
      expect(await read(report)).toEqual(written);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
