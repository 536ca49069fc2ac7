/** The summary e-mail: everything that the recipient has to know, and nothing that a file could smuggle in. */
import { describe, expect, it } from 'vitest';
import { renderSummary, type Summary } from '../../../src/notifications/mail/summary.ts';
import { counted } from './support/counted.ts';

const lists: Omit<Summary, 'counts'> = {
  importId: 7,
  fileName: '<b>package</b>.zip',
  comment: 'spring & summer',
  uploadedAt: new Date('2026-01-31T12:00:00Z'),
  couldNotBeRead: false,
  remark: null,
  products: [
    {
      submissionId: 1,
      productId: '99962-26-00001',
      productType: 'Other',
      outcome: 'inserted',
      caseId: 'CASE-1',
      reason: null,
      warnings: [],
    },
    {
      submissionId: 2,
      productId: '99962-26-00002',
      productType: 'Other',
      outcome: 'failed',
      caseId: null,
      reason: 'design: <too> short',
      warnings: [],
    },
    {
      submissionId: 3,
      productId: '99962-26-00003',
      productType: 'Other',
      outcome: 'not queued',
      caseId: null,
      reason: 'already running',
      warnings: ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'],
    },
  ],
  failedFiles: [{ xmlFile: 'bad.xml', reason: 'not well-formed' }],
  skippedFiles: [{ xmlFile: 'twice.xml', reason: 'occurs more than once' }],
  unreadableFiles: [{ xmlFile: 'attachment.xml', reason: 'is not base64' }],
};

describe('the summary e-mail', () => {
  const { subject, text, html } = renderSummary(counted(lists));

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

  it.each<[string, Partial<typeof lists>, string[]]>([
    ['a single refused file: a repair pack', { failedFiles: lists.failedFiles }, ['repair-pack']],
    [
      'a single product that was not queued: both',
      { products: lists.products.filter(({ outcome }) => outcome === 'not queued') },
      ['retry', 'repair-pack'],
    ],
    [
      'a single product that failed: both',
      { products: lists.products.filter(({ outcome }) => outcome === 'failed') },
      ['retry', 'repair-pack'],
    ],
    ['success: nothing', { products: lists.products.filter(({ outcome }) => outcome === 'inserted') }, []],
  ])('tells what to do about %s', (_what, some, commands) => {
    const none = { products: [], failedFiles: [], skippedFiles: [], unreadableFiles: [] };
    const mail = renderSummary(counted({ ...lists, ...none, ...some }));
    const told = [...mail.text.matchAll(/package-import (retry|repair-pack) 7/g)].map(
      ([, command]) => command,
    );
    expect(told).toEqual(commands);
  });

  it('reports an import without products', () => {
    const empty = renderSummary(
      counted({
        ...lists,
        products: [],
        failedFiles: [],
        skippedFiles: [],
        unreadableFiles: [],
      }),
    );
    expect(empty.text).toContain('No product was created');
    expect(empty.html).toContain('No product was created');
  });
});
