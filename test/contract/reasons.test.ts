/** Reasons as texts. */
import { expect, it } from 'vitest';
import { fileReasonText, plainReason, reasonsText, reasonText } from '../../src/contract/reasons.ts';

const PLACED = { path: 'Product/Design', line: 7, check: null, text: 'Design is empty' };

it('say the problem first, then its place and its check', () => {
  expect(reasonText(plainReason('not base64'))).toBe('not base64');
  expect(reasonText(PLACED)).toBe('Design is empty (Product/Design, line 7)');
  expect(reasonText({ ...PLACED, path: null })).toBe('Design is empty (line 7)');
  expect(reasonText({ ...PLACED, line: null, check: 'cas_check_digit' })).toBe(
    'Design is empty (Product/Design, cas_check_digit)',
  );
});

it('are one text together, of a file with the product ID if it is known', () => {
  const reasons = [PLACED, plainReason('… and 2 more')];
  expect(reasonsText(reasons)).toBe('Design is empty (Product/Design, line 7); … and 2 more');
  expect(fileReasonText(null, reasons)).toBe(reasonsText(reasons));
  expect(fileReasonText('99962-26-00001', [plainReason('too large')])).toBe('99962-26-00001: too large');
});
