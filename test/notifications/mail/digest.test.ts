/** The digest says what it leaves out (decision §mails). */
import { expect, it } from 'vitest';
import { renderDigest } from '../../../src/notifications/mail/digest.ts';

it.each([
  [1, '1 more import of the day is not shown.'],
  [2, '2 more imports of the day are not shown.'],
])('a digest that leaves %i imports out says so, with the command that lists them', (more, sentence) => {
  const mail = renderDigest({ clientId: 'a', day: '2026-01-31', imports: [], total: more }, () => null);
  const note = `${sentence} To list the day: package-import list --from 2026-01-31 --to 2026-01-31 --limit 200`;
  expect(mail.text).toContain(note);
  expect(mail.html).toContain(`<p>${note}</p>`);
});
