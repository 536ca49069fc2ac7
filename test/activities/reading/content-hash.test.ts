/**
 * The hash by which a product counts as unchanged. It is stored with every submission, so it must not change: neither
 * with the order in which something is written nor with the version of this service.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detailsText } from '../../../activities/reading/known-records.ts';
import { hashContent, hashSectionContents } from '../../../activities/reading/verdict.ts';
import { INSERT_STEPS, type InsertStep } from '../../../src/contract/steps.ts';
import type { Json, ParsedProduct } from '../../../src/domain/product.ts';
import { perStep, SUBMITTER_STEP } from '../../../src/domain/steps.ts';

type Attachments = Pick<ParsedProduct, 'attachments'>;

const SECTIONS = perStep((step) => String(INSERT_STEPS.indexOf(step)).repeat(64));
const NOTHING: Attachments = { attachments: [] };
const [FIRST, SECOND] = ['238d0f2d-5dd0-4f07-838e-24680cb37d51', '11111111-5dd0-4f07-838e-24680cb37d51'];

const sha256 = (...texts: string[]) => createHash('sha256').update(texts.join('')).digest('hex');
const hashOf = (submitter: Json) => hashSectionContents(SECTIONS, NOTHING, new Map(), submitter);
const refersTo = (...references: [string, InsertStep][]): Attachments => ({
  attachments: references.map(([attachmentId, step]) => ({ attachmentId, step, path: 'Product', line: 1 })),
});

/** The form under the stored hashes: keys in the order of their UTF-16 code units, no spaces. */
function storedForm(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(storedForm).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${storedForm(inner)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Any text, halves of characters included; and such as comes in XML. */
const text = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('__proto__', 'constructor', 'toJSON', '10', '9', '', 'ﬀ', '😀', '\u2028"\\/'),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false, -0, 1e21, 5e-324),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.uniqueArray(fc.tuple(text, tie('json')), { selector: ([key]) => key }).map(objectOf),
  ),
}));
/** Sorting has other ways with many keys than with few. */
const wide = fc
  .uniqueArray(fc.tuple(text, fc.constant<Json>(1)), {
    selector: ([key]) => key,
    minLength: 250,
    maxLength: 300,
    size: 'max',
  })
  .map(objectOf);

/** Own properties, also of names with a meaning of their own, as JSON.parse makes them. */
function objectOf(entries: [string, Json][]): { [key: string]: Json } {
  return Object.fromEntries(entries);
}

/** The same with the keys of every object in the opposite order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe('the details of an attachment in its hash', () => {
  const details = { fileName: 'a.pdf', contentType: 'application/pdf', confidential: false };

  it.each([
    ['file name', { fileName: 'b.pdf' }],
    ['media type', { contentType: 'image/png' }],
    ['flag', { confidential: true }],
  ])('tell another %s apart', (_, change) => {
    expect(detailsText({ ...details, ...change })).not.toBe(detailsText(details));
  });

  it('are short, and tell long names apart all the same', () => {
    const [one, two] = ['x', 'y'].map((end) =>
      detailsText({ ...details, fileName: 'long'.repeat(250) + end }),
    );
    expect(one?.length).toBeLessThan(400);
    expect(one).not.toBe(two);
  });
});

describe('the hash of a content', () => {
  it('equals the hash that earlier versions stored', () => {
    const details = detailsText({
      fileName: 'Ä "1".pdf',
      contentType: 'application/pdf',
      confidential: true,
    });
    const known = new Map([[FIRST, { sha256: 'ab'.repeat(32), details }]]);
    const product = refersTo([FIRST, 'design'], [SECOND, 'design'], [FIRST, 'emission']);
    const submitter = {
      SubmitterID: '99962',
      Name: { value: 'Ärzte "&" \u2028 Söhne', confidential: false },
      Sme: true,
      VatNumber: null,
      Address: { confidential: true, value: 'Street 1\nTown' },
      list: [1, -0.5, 1e21, ''],
    };
    const contents = hashSectionContents(SECTIONS, product, known, submitter);
    expect(contents).toEqual({
      init_validate: '884412593e712a3a66406e6bd285e395624e245bfd24661ca1c02311b4358a86',
      product_details: '3138bb9bc78df27c473ecfd1410f7bd45ebac1f59cf3ff9cfe4db77aab7aedd3',
      product_presentation: '4f2e8d65483c641648cdb374ae9d8abd368d269e4ddffe092a8237b8162cddd6',
      design: '738ffa678e3127dff61efc1a404caaa6377b95342fe44f54e5f2c0fa87fa9f2e',
      ingredients: 'f435f2420b50c70ec80865cf8e20b169874165fb8576b48633caf2a8176d2e4a',
      emission: 'e483364a981f39407e8ef0981ce8b8873c30bb962504f2cc8f739930a59a601e',
    });
    expect(hashContent(contents)).toBe('d332a8ee28b4d492964b9d1df3a9952ba71c12322798fbb4c46748290a4f7171');
  });

  it('of a submitter covers the same bytes, whatever its details are', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 20, arbitrary: json }, wide), (submitter) => {
        expect(hashOf(submitter)).toEqual({
          ...perStep((step) => sha256(SECTIONS[step])),
          [SUBMITTER_STEP]: sha256(SECTIONS[SUBMITTER_STEP], storedForm(submitter)),
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('does not depend on the order of details in the database', () => {
    fc.assert(
      fc.property(json, (submitter) => {
        expect(hashOf(reversed(submitter))).toEqual(hashOf(submitter));
      }),
    );
  });

  it('does not depend on the order of references to attachments, but on which they are', () => {
    const reference = fc.tuple(fc.uuid(), fc.constantFrom(...INSERT_STEPS));
    const references = fc.uniqueArray(reference, { selector: (one) => one.join(), minLength: 1 });
    fc.assert(
      fc.property(references, (some) => {
        const known = new Map(some.map(([id]) => [id, { sha256: sha256(id), details: 'details' }]));
        const contents = hashSectionContents(SECTIONS, refersTo(...some), known, null);
        expect(hashSectionContents(SECTIONS, refersTo(...some.toReversed()), known, null)).toEqual(contents);
        const [[id, step]] = some as [[string, InsertStep]];
        for (const change of [{ sha256: sha256('another content') }, { details: 'other details' }]) {
          const changed = new Map([...known, [id, { sha256: sha256(id), details: 'details', ...change }]]);
          const other = hashSectionContents(SECTIONS, refersTo(...some), changed, null);
          expect(other[step]).not.toBe(contents[step]);
          expect(hashContent(other)).not.toBe(hashContent(contents));
        }
      }),
    );
  });
});
