/** The summary: everything that the recipient has to know, and no line that somebody else could write. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderSummary, type Summary } from '../../../src/notifications/mail/summary.ts';
import {
  FILE_OUTCOMES,
  MAILED_PRODUCT_OUTCOMES,
  type SummaryRow,
} from '../../../src/notifications/mail/summary-rows.ts';
import { counted, summaryFile, summaryOf, summaryProduct } from './support/summaries.ts';

const REFUSED = summaryFile('refused', 'bad.xml', 'not well-formed');

const lists = {
  fileName: '<b>package</b>.zip',
  comment: 'spring & summer',
  rows: [
    REFUSED,
    summaryProduct(1, { productType: 'Other', caseId: 'CASE-1' }),
    summaryProduct(2, { productType: 'Other', outcome: 'failed', reason: 'design: <too> short' }),
    summaryProduct(3, {
      productType: 'Other',
      outcome: 'not queued',
      reason: 'already running',
      warnings: ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'],
    }),
    summaryFile('unreadable', 'attachment.xml', 'is not base64'),
    summaryFile('skipped', 'twice.xml', 'occurs more than once'),
  ],
};

const only = (outcome: SummaryRow['outcome']) => lists.rows.filter((row) => row.outcome === outcome);

describe('the summary e-mail', () => {
  const { subject, text, html } = renderSummary(summaryOf(lists));

  it('has the counts in its subject', () => {
    expect(subject).toBe(
      'Package import 7: 1 inserted, 1 failed, 1 not queued, 1 file refused, 1 file skipped',
    );
  });

  it.each(['text', 'html'] as const)(
    'shows id, type, outcome, case or reason of each product, and lists files (%s)',
    (part) => {
      const content = { text, html }[part];
      for (const expected of [
        '99962-26-00001',
        'Other',
        'inserted',
        'CASE-1',
        '99962-26-00002',
        'failed',
        'short',
        'not queued',
        'bad.xml',
        'twice.xml',
        'attachment.xml',
        'spring',
      ]) {
        expect(content).toContain(expected);
      }
      expect(content).toContain('package-import retry 7');
      expect(content).toContain('package-import repair-pack 7');
    },
  );

  it('shows a few warnings and counts the others', () => {
    expect(text).toContain('warning: w5');
    expect(text).not.toContain('w6');
    expect(text).toContain('… and 2 more warnings');
  });

  it('escapes texts of files', () => {
    expect(html).toContain('&lt;too&gt;');
    expect(html).not.toContain('<b>package</b>');
    expect(html).toContain('spring &amp; summer');
  });

  it.each<[string, SummaryRow[], string[]]>([
    ['a single refused file: a repair pack', [REFUSED], ['repair-pack']],
    ['a single product that was not queued: both', only('not queued'), ['retry', 'repair-pack']],
    ['a single product that failed: both', only('failed'), ['retry', 'repair-pack']],
    ['success: nothing', only('inserted'), []],
  ])('tells what to do about %s', (_what, rows, commands) => {
    const mail = renderSummary(summaryOf({ rows }));
    const told = [...mail.text.matchAll(/package-import (retry|repair-pack) 7/g)].map(
      ([, command]) => command,
    );
    expect(told).toEqual(commands);
  });

  it('reports an import without products', () => {
    const empty = renderSummary(summaryOf({}));
    expect(empty.text).toContain('No product was created');
    expect(empty.html).toContain('No product was created');
  });
});

/** Characters that end lines in some programs, reverse the text direction, or are invisible. */
const TRICKS = [
  '\n',
  '\r\n',
  '\r',
  '\u000b',
  '\f',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u0000',
  '\u001b[2J',
  '\ud800',
  '<br>',
  '  99962-26-00001  inserted  case CASE-1',
  'Products',
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...TRICKS), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 12 })
  .map((parts) => parts.join(''));
const reason = fc.option(text, { nil: null });
const file = fc.record({
  outcome: fc.constantFrom(...FILE_OUTCOMES),
  subject: text,
  reason: text,
});
const product = fc.record({
  outcome: fc.constantFrom(...MAILED_PRODUCT_OUTCOMES),
  subject: text,
  reason,
  product: fc.record({
    submissionId: fc.nat(),
    productType: text,
    caseId: reason,
    warnings: fc.array(text, { maxLength: 7 }),
  }),
});

const summaries: fc.Arbitrary<Summary> = fc
  .record({
    importId: fc.nat(),
    fileName: text,
    comment: reason,
    uploadedAt: fc.constant(new Date('2026-01-31T12:00:00Z')),
    couldNotBeRead: fc.boolean(),
    remark: reason,
    rows: fc.array<SummaryRow>(fc.oneof(file, product), { maxLength: 9 }),
  })
  .map(counted);

/** The same summary with a harmless word in the place of every text. */
function harmless(summary: Summary): Summary {
  const word = <T extends string | null>(value: T) => (value === null ? value : 'word');
  return {
    ...summary,
    fileName: 'word',
    comment: word(summary.comment),
    remark: word(summary.remark),
    rows: summary.rows.map(({ outcome, reason, product }) => ({
      outcome,
      subject: 'word',
      reason: word(reason),
      ...(product && {
        product: {
          ...product,
          productType: 'word',
          caseId: word(product.caseId),
          warnings: product.warnings.map(() => 'word'),
        },
      }),
    })),
  };
}

/** Splits at every character that a reader or a mail program may take for a line end. */
const lines = (content: string) => content.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);
const UNSEEN = /[^\P{C}\n\p{Cn}]/u;

describe('a summary with hostile texts', () => {
  it('has the same lines as without them, and shows every character', () => {
    fc.assert(
      fc.property(summaries, (summary) => {
        const tricky = renderSummary(summary);
        const plain = renderSummary(harmless(summary));
        expect(lines(tricky.text)).toHaveLength(lines(plain.text).length);
        expect(lines(tricky.html)).toHaveLength(lines(plain.html).length);
        expect(tricky.subject).toBe(plain.subject);
        for (const part of [tricky.subject, tricky.text, tricky.html]) expect(part).not.toMatch(UNSEEN);
        expect(tricky.html.match(/<\w+/g)).toEqual(plain.html.match(/<\w+/g));
      }),
      { numRuns: 300 },
    );
  });

  it('has the comment in one short line', () => {
    const comment = `spring\nrange ${'x'.repeat(10_000)}`;
    const empty = summaryOf({ comment });
    const line = renderSummary(empty)
      .text.split('\n')
      .find((one) => one.startsWith('Comment:'));
    expect(line).toContain('spring range');
    expect(line?.length).toBeLessThan(250);
    expect(line).toMatch(/…$/);
  });
});
