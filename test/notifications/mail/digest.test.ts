/** The digest of a day with more imports than a mail lists. */
import { expect, it } from 'vitest';
import { renderDigest } from '../../../src/notifications/mail/digest.ts';

it.each([
  [1, '1 more import ended on that day.'],
  [100, '100 more imports ended on that day.'],
])('names %d further imports, and a command for the uploads of the day', (total, sentence) => {
  const digest = { clientId: 'company', day: '2026-01-31', imports: [], total };
  const { text, html } = renderDigest(digest, () => null);
  const command = 'package-import list --from 2026-01-31 --to 2026-01-31 --limit 200';
  const rest = `${sentence} To list the imports that were uploaded on it: ${command}`;
  expect(text).toContain(rest);
  expect(html).toContain(rest);
});
