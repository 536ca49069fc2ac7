/** `package-import webhook` and the client library's methods, against a whole service and a receiver. */
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { ApiError, createPackageImportClient } from '../../cli/client/index.ts';
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { connectionTo, run } from '../support/command.ts';
import { eventually } from '../support/eventually.ts';
import { startStack } from '../support/starters/stack.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

const receiver = await startWebhookReceiver();
const stack = await startStack({ env: { WEBHOOK_HOSTS: receiver.host } });

const webhook = (...args: string[]) => run(['webhook', ...args, ...connectionTo(stack)]);
const secretIn = (text: string) => /^Secret: (whsec_\S+)$/m.exec(text)?.[1];

it('a webhook is set, shown, rotated, disabled and deleted', async () => {
  for (const command of ['show', 'disable'])
    expect(await webhook(command)).toMatchObject({ code: 0, stdout: 'There is no webhook.\n' });

  const refused = await webhook('set', 'https://elsewhere.example/');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('operators do not allow') });

  const created = await webhook('set', receiver.url);
  const secret = secretIn(created.stdout);
  expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining(`URL: ${receiver.url}\n`) });
  expect(secret).toBeDefined();

  expect(secretIn((await webhook('show')).stdout)).toBeUndefined();
  const rotated = await webhook('rotate-secret');
  expect(secretIn(rotated.stdout)).not.toBe(secret);
  expect(rotated.stdout).toMatch(/^The previous secret signs as well until \d{4}-/m);

  const disabled = await webhook('disable', '--json');
  expect(JSON.parse(disabled.stdout).data).toMatchObject({ url: null, secret: null });
  expect((await webhook('show')).stdout).toContain('URL: none');
  expect((await webhook('delete')).stdout).toBe('The webhook is deleted.\n');
  expect((await webhook('delete')).stdout).toBe('There was no webhook.\n');
});

it('its messages are listed, and sent again', async () => {
  await webhook('set', receiver.url);
  expect((await webhook('deliveries')).stdout).toBe('There are no messages.\n');
  receiver.status = 410;
  const { importId } = await stack.imports.importOne();
  const list = await eventually(async () => {
    const { stdout } = await webhook('deliveries', '--import', String(importId));
    return stdout.includes('failed') ? stdout : null;
  });
  const [, id = ''] = /│ (\d+) +│/.exec(list) ?? [];
  expect(list).toMatch(/│ package_import\.completed │ \d+ +│ failed │ 1 +│ .*answered with status 410/);
  expect((await webhook('deliveries', '--import', String(importId + 1))).stdout).toContain('no messages');
  receiver.status = 200;
  expect((await webhook('redeliver', id)).stdout).toContain('The message is being delivered.\n');
  await eventually(async () => (await webhook('deliveries')).stdout.includes('delivered'));
  expect((await webhook('redeliver', '999')).code).toBe(1);
  receiver.messages.length = 0;
  expect((await webhook('test')).stdout).toContain('The test message is being delivered.\n');
  await eventually(async () => receiver.messages.length === 1);
  expect(
    await eventually(async () => /│ webhook\.test .*│$/m.exec((await webhook('deliveries')).stdout)?.[0]),
  ).toContain('delivered');
  await webhook('delete');
});

it('the client library does the same', async () => {
  const client = createPackageImportClient({
    gatewayUrl: stack.gatewayUrl,
    tokenUrl: `${stack.config.auth.issuer}/oauth2/token`,
    ...DEMO_CLIENT,
  });
  expect(await client.webhook()).toMatchObject({ updated_at: null });
  await expect(client.testWebhook()).rejects.toThrow(ApiError);
  const { secret } = await client.setWebhook(receiver.url);
  expect(await client.webhook()).toMatchObject({ url: receiver.url, secret: null });
  receiver.messages.length = 0;
  const { importId } = await stack.imports.importOne();
  const delivered = await eventually(async () => {
    const { deliveries } = await client.webhookDeliveries({ import_id: importId });
    return deliveries.find(({ status }) => status === 'delivered');
  });
  const [message] = receiver.messages;
  expect(
    new Webhook(secret ?? '').verify(message?.body ?? '', message?.headers as Record<string, string>),
  ).toMatchObject({ data: { import_id: importId } });
  expect((await client.rotateWebhookSecret()).secret).not.toBe(secret);
  expect(await client.redeliverWebhook(delivered.id)).toMatchObject({ webhook_id: delivered.webhook_id });
  await eventually(async () => receiver.messages.length === 2);
  const test = await client.testWebhook();
  expect(test).toMatchObject({ event: 'webhook.test', import_id: null });
  await eventually(async () => receiver.messages.length === 3);
  expect(await client.deleteWebhook()).toBe(true);
});
