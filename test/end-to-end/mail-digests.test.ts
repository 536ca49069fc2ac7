/**
 * One mail a day about a client's imports, to subscribers only, and none about a day without imports
 * (decision §mails).
 */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { createSendDigests } from '../../activities/send-digests.ts';
import { MailUnavailable } from '../../src/domain/errors.ts';
import type { Mail, Mailer } from '../../src/notifications/mail/mailer.ts';
import { eventually } from '../support/eventually.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { finished } from '../support/upload.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const yesterday = () => new Date(Date.now() - DAY_MS).toISOString().slice(0, 10);

const stack = await startStack({
  env: {
    MAIL_DIGESTS: 'demo-client=a@company.example b@company.example, idle=c@company.example',
    PUBLIC_URL: 'https://import.example',
  },
});

it('a digest lists the imports of the day before, imports to act on first', async () => {
  const imports = stack.imports;
  const bad = newProductId();
  imports.reject(bad);
  const first = await imports.importProducts([{ productId: bad }, { productId: newProductId() }]);
  await finished(stack, first.id);
  imports.restoreRegulator();
  const second = await imports.importOne();
  const today = await imports.importOne();
  for (const id of [second.importId, today.importId]) await finished(stack, id);
  await stack.sql(
    `update zip_import set completed_at = '${yesterday()}T23:59:59.999Z' where id in (${first.id}, ${second.importId})`,
  );
  await stack.temporal.schedule.getHandle('package-import-mail-digests').trigger();
  const mail = await eventually(async () =>
    (await stack.mailbox.store.list()).find(({ subject }) => subject.startsWith('Package imports of')),
  );
  expect(mail.subject).toBe(`Package imports of ${yesterday()}: 2 imports of demo-client`);
  expect(mail.to).toEqual(['a@company.example', 'b@company.example']);
  expect(mail.messageId).toMatch(
    new RegExp(`^<package-imports-${yesterday()}-[0-9a-f]{32}@company.example>$`),
  );
  const lines = mail.text.split('\n');
  const at = (id: number) => lines.findIndex((line) => line.startsWith(`  ${id}  `));
  expect(at(first.id)).toBeLessThan(at(second.importId));
  expect(lines[at(first.id) + 1]).toBe('    1 inserted, 1 not inserted, 0 files refused');
  expect(lines[at(first.id) + 2]).toBe(`    https://import.example/app/imports/${first.id}`);
  expect(at(today.importId)).toBe(-1);
  const all = await stack.mailbox.store.list();
  expect(all.filter(({ to }) => to.includes('c@company.example'))).toEqual([]);
});

it('digests continue after a failed try: each client gets one, without waiting for another client', async () => {
  const sent: Mail[] = [];
  const failing = new Set(['b@company.example']);
  const mailer: Mailer = {
    async send(mail) {
      if (mail.to.some((address) => failing.has(address))) throw new MailUnavailable('away', 'no answer');
      sent.push(mail);
      return { refused: [] };
    },
    close() {},
  };
  const sendDigests = createSendDigests({
    database: { digests: { ofDay: async () => ({ imports: [], total: 300 }) } },
    mailer,
    mailDomain: 'company.example',
    digests: ['a', 'b', 'c'].map((clientId) => ({ clientId, addresses: [`${clientId}@company.example`] })),
    importScreen: () => null,
  });
  let details: unknown;
  const first = new MockActivityEnvironment();
  first.on('heartbeat', (heartbeat) => {
    details = structuredClone(heartbeat);
  });
  await expect(first.run(sendDigests, { day: '2026-01-31' })).rejects.toThrow('away');
  failing.clear();
  const second = new MockActivityEnvironment({ heartbeatDetails: details });
  expect(await second.run(sendDigests, { day: '2026-01-31' })).toEqual({ sent: 3, refused: 0 });
  expect(sent.map(({ to }) => to[0])).toEqual(['a', 'c', 'b'].map((name) => `${name}@company.example`));
  expect(sent[0]?.text).toContain('300 more imports');
});
