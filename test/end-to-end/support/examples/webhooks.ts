/** Examples of webhooks, and of their messages. */
import type { WebhookDelivery } from '../../../../src/contract/types.ts';
import { eventually } from '../../../support/eventually.ts';
import { call, finished, upload } from '../../../support/upload.ts';
import type { WebhookReceiver } from '../../../support/webhook-receiver.ts';
import { zipOf } from '../../../support/zip.ts';
import { NOBODY, packageForm, productOf, type Recording, UPLOAD, WEBHOOK } from './recording.ts';

const ROTATION = `${WEBHOOK}/actions/rotate-secret`;
const PRODUCT = 6;

export async function recordWebhooks(recording: Recording, receiver: WebhookReceiver): Promise<void> {
  const { ask } = recording;
  await recordRefusedWebhooks(recording, receiver);
  const json = { url: receiver.url };
  await ask('PUT', WEBHOOK, { json, name: 'registered' });
  await ask('PUT', WEBHOOK, { json, name: 'changed' });
  await ask('GET', WEBHOOK, { name: 'registered' });
  await ask('POST', ROTATION);
  await recordDeliveries(recording, receiver);
  await recordTest(recording, receiver);
  await ask('DELETE', WEBHOOK);
}

async function recordRefusedWebhooks({ ask, withGateway }: Recording, { url }: WebhookReceiver) {
  await ask('GET', WEBHOOK, { name: 'none' });
  await ask('POST', ROTATION);
  await ask('POST', `${WEBHOOK}/actions/test`);
  await ask('POST', UPLOAD, { form: await packageForm(productOf(PRODUCT), { webhook_url: url }) });
  await ask('PUT', WEBHOOK, { json: {} });
  await ask('PUT', WEBHOOK, { json: { url: 'https://elsewhere.example/' } });
  const none = ({ webhooks }: Recording['stack']['config']) => ({ webhooks: { ...webhooks, hosts: [] } });
  await withGateway(none, async (gatewayUrl) => {
    await ask('PUT', WEBHOOK, { json: { url }, gatewayUrl });
  });
}

async function recordTest({ ask }: Recording, receiver: WebhookReceiver) {
  const received = receiver.messages.length;
  await ask('POST', `${WEBHOOK}/actions/test`);
  await eventually(async () => receiver.messages.length > received);
}

async function recordDeliveries({ stack, ask }: Recording, receiver: WebhookReceiver) {
  const list = `${WEBHOOK}/deliveries`;
  const againPath = (id: number | string) => `${list}/${id}/actions/redeliver`;
  const { id } = (await upload(stack, await zipOf(productOf(PRODUCT)))).body.data;
  await finished(stack, id);
  const delivered = () =>
    eventually(async () => {
      const answer = await call<{ deliveries: WebhookDelivery[] }>(stack, 'GET', list);
      return answer.body.data.deliveries.some(({ status }) => status === 'delivered');
      // On a busy machine, an attempt that is too late is followed by another one.
    }, 110_000);
  await delivered();
  // The receiver holds the message until the answer is recorded: the answer shows a message under way.
  const held = receiver.hold();
  await ask('GET', list);
  await ask('GET', `${list}?import_id=none`);
  for (const one of [1, NOBODY, 'none']) await ask('POST', againPath(one));
  held.release();
  await delivered();
}
