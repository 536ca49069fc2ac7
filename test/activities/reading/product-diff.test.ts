/** Differences of products: readable, stable, and bounded, whatever is compared. */
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProductDiffs, fieldLines } from '../../../activities/reading/product-diff.ts';
import type { Judgement } from '../../../activities/reading/verdict.ts';
import type { InsertedSections, Json } from '../../../src/domain/product.ts';
import { perStep } from '../../../src/domain/steps.ts';

const KNOWN = { latest: new Map(), attachments: new Map(), submitters: new Map() };

/** Only the design says anything. */
const product = (design: Json): Judgement =>
  ({
    verdict: 'changed',
    outcome: { outcome: 'created' },
    product: {
      productId: '99962-26-00001',
      submitterId: null,
      sections: perStep((step) => (step === 'design' ? design : null)),
    },
  }) as unknown as Judgement;

function diffs(inserted: Json, limits?: { product: number; package: number }) {
  const asked: string[] = [];
  const base: InsertedSections = {
    submissionId: 7,
    hidden: false,
    sections: perStep((step) => (step === 'design' ? inserted : null)),
    attachments: {},
    submitter: null,
  };
  const productHistory = {
    lastInserted: async (productId: string) => {
      asked.push(productId);
      return base;
    },
  } as unknown as Parameters<typeof createProductDiffs>[0]['productHistory'];
  return { asked, of: createProductDiffs({ productHistory }, { tenant: 'client', shown: 'own' }, limits) };
}

describe('a section as text', () => {
  it('is one line per field, in a fixed order', () => {
    const text = fieldLines({ b: [{ y: 'two\nlines', x: 1 }, { x: null }], a: { c: false, d: [] } });
    expect(text).toBe('a/c: false\na/d: []\nb[1]/x: 1\nb[1]/y: "two\\nlines"\n');
    expect(fieldLines(null)).toBe('');
  });

  it('tells long values apart by their hash', () => {
    const [one, two] = ['x', 'y'].map((end) => fieldLines({ text: 'long '.repeat(1000) + end }));
    expect(one).toMatch(/^text: "long long .*… \(5003 characters, SHA-256 [0-9a-f]{64}\)\n$/);
    expect(one?.length).toBeLessThan(400);
    expect(one).not.toBe(two);
  });

  it('is null when it would be too long', () => {
    expect(fieldLines(Array.from({ length: 50_000 }, () => 'x'.repeat(100)))).toBeNull();
  });
});

describe('the difference of a product', () => {
  it('leads from the inserted content to the content of the package', async () => {
    const section = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue({ maxDepth: 2 }));
    await fc.assert(
      fc.asyncProperty(section, section, async (inserted, now) => {
        const diff = await diffs(inserted as Json).of(product(now as Json), KNOWN);
        const [before, after] = [fieldLines(inserted) ?? '', fieldLines(now) ?? ''];
        if (before === after) expect(diff).toMatchObject({ patch: '', left_out: null });
        else expect(applyPatch(before, diff?.patch ?? '')).toBe(after);
      }),
    );
  });

  it('is left out with a note when it is too long', async () => {
    const many = (brand: string) => Array.from({ length: 3000 }, (_, index) => `${brand} ${index}`);
    const diff = await diffs({ many: many('old') }).of(product({ many: many('new') }), KNOWN);
    expect(diff).toEqual({
      submission_id: 7,
      patch: '',
      left_out: 'These sections have too many differences to show: design.',
    });
    const short = diffs({ a: 'old' }, { product: 20, package: 1000 });
    expect((await short.of(product({ a: 'new' }), KNOWN))?.left_out).toContain('design');
  });

  it('is bounded for a package, and nothing is looked up beyond the bound', async () => {
    const { asked, of } = diffs({ a: 'old' }, { product: 1000, package: 150 });
    const sent = [];
    for (let index = 0; index < 5; index += 1) sent.push(await of(product({ a: 'new' }), KNOWN));
    const bytes = sent.reduce((sum, diff) => sum + Buffer.byteLength(diff?.patch ?? ''), 0);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(150);
    expect(sent[0]).toMatchObject({ left_out: null });
    expect(sent.at(-1)?.left_out).toContain('more than 150 bytes of differences');
    expect(asked.length).toBeLessThan(5);
  });
});
