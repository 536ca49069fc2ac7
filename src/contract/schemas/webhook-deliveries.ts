/** Webhook deliveries: messages about the end of an import. */
import { z } from 'zod';
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, WEBHOOK_TARGETS } from '../statuses.ts';
import { idParams, nextBefore, pageQuery, timestamp } from './common.ts';
import { describe } from './operation.ts';

const webhookDelivery = z
  .object({
    id: z.int(),
    webhook_id: z.string().meta({ description: 'Header `webhook-id` of the message, the same in every try' }),
    import_id: z.int(),
    target: z
      .enum(WEBHOOK_TARGETS)
      .meta({ description: '`client`: URL of the client’s webhook; `import`: URL of the upload' }),
    url: z.string(),
    event: z.enum(WEBHOOK_EVENTS),
    status: z.enum(DELIVERY_STATUSES),
    tries: z.int(),
    last_try_at: timestamp.nullable(),
    last_status: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the last try; null if there was no answer' }),
    last_error: z.string().nullable(),
    created_at: timestamp,
    delivered_at: timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export type WebhookDelivery = z.infer<typeof webhookDelivery>;

const tag = 'Webhooks';

export const getWebhookDeliveries = describe('getWebhookDeliveries', {
  tag,
  summary: 'List the webhook deliveries of an import, newest first',
  params: idParams,
  query: z.object(pageQuery.shape),
  answers: {
    200: {
      description: 'A page of deliveries',
      data: z.object({ deliveries: z.array(webhookDelivery), next_before: nextBefore }),
    },
  },
  errors: { 404: 'The import does not exist, or belongs to another client' },
});

export const postWebhookRedelivery = describe('postWebhookRedelivery', {
  tag,
  summary: 'Redeliver a webhook message',
  description:
    "Sends the same message with the same `webhook-id` and retries for another day. A message to the client's webhook goes " +
    'to its current URL. A delivery that is still running continues.',
  params: z.object({ ...idParams.shape, delivery_id: idParams.shape.id }),
  answers: { 202: { description: 'The delivery is running', data: webhookDelivery } },
  errors: { 404: 'The import or delivery does not exist, or belongs to another client' },
});
