/** The embedded mailbox keeps the newest mails, also over a restart. */
import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openMailStore } from '../../src/trial-parts/mailbox/mail-store.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const mail = (subject: string, bytes = 0) => Buffer.from(`Subject: ${subject}\r\n\r\n${'x'.repeat(bytes)}`);

it.each([
  ['count', { maxMails: 2 }, 0],
  ['bytes', { maxBytes: 250 }, 100],
])('the oldest mails beyond a limit of %s are removed', async (_limit, limits, bytes) => {
  const directory = await temporaryDirectory();
  const first = await openMailStore(directory, limits);
  for (const subject of ['1', '2']) await first.add(mail(subject, bytes));
  const second = await openMailStore(directory, limits);
  for (const subject of ['3', '4']) await second.add(mail(subject, bytes));
  for (const store of [second, await openMailStore(directory)])
    expect((await store.list()).map(({ id, subject }) => [id, subject])).toEqual([
      [4, '4'],
      [3, '3'],
    ]);
  expect(await second.find(2)).toBeNull();
  expect(await second.raw(2)).toBeNull();
  expect(await readdir(directory)).toHaveLength(2);
});

it('mails that arrive at the same time are listed in their order, newest first', async () => {
  const store = await openMailStore(await temporaryDirectory());
  await Promise.all([store.add(mail('large', 4_000_000)), store.add(mail('small'))]);
  expect((await store.list()).map(({ subject }) => subject)).toEqual(['small', 'large']);
});

it('a mail that is removed while it is read is absent', async () => {
  const directory = await temporaryDirectory();
  await (await openMailStore(directory)).add(mail('old'));
  const store = await openMailStore(directory, { maxMails: 1 });
  const [mails] = await Promise.all([store.list(), store.add(mail('new'))]);
  expect(mails.every(({ subject }) => subject === 'old')).toBe(true);
  expect((await store.list()).map(({ subject }) => subject)).toEqual(['new']);
});
