/** Webhooks and their deliveries. */
import { z } from 'zod';
import { WEBHOOK_URL_LENGTH } from '../limits.ts';
import { DELIVERY_STATUSES, WEBHOOK_EVENTS, WEBHOOK_TARGETS } from '../statuses.ts';
import { idParams, nextBefore, pageQuery, storableText, timestamp } from './common.ts';
import { describe } from './operation.ts';

const tag = 'Webhooks';

const url = storableText.max(WEBHOOK_URL_LENGTH).nullable();

const webhook = z
  .object({
    url: url.meta({ description: 'Null if only uploads with a `webhook_url` cause messages' }),
    secret: z.string().nullable().meta({
      description:
        'Secret that signs messages (Standard Webhooks). It is shown once, when it is created; null later',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    }),
    previous_secret_valid_until: timestamp
      .nullable()
      .meta({ description: 'Time until which messages are also signed with the previous secret' }),
    updated_at: timestamp.nullable().meta({ description: 'Null if there is no webhook' }),
  })
  .meta({ id: 'Webhook' });

const webhookRegistration = z.object({
  url: url.meta({
    description:
      'Receives a message at the end of every import of this client. Null: only the URLs of uploads receive messages',
    example: 'https://hooks.company.example/package-imports',
  }),
});

export type Webhook = z.infer<typeof webhook>;

export const getWebhook = describe('getWebhook', {
  tag,
  summary: 'Get the webhook',
  answers: { 200: { description: 'The webhook, without its secret, or that there is none', data: webhook } },
});

export const putWebhook = describe('putWebhook', {
  tag,
  summary: 'Register or change the webhook',
  description:
    'Only the answer to the first request contains the secret that signs messages. Messages follow ' +
    'Standard Webhooks, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
  body: webhookRegistration,
  answers: { 200: { description: 'The webhook, with its secret if there was none before', data: webhook } },
  errors: { 400: 'The body is invalid, the URL is not allowed, or webhooks are turned off in this service' },
});

export const postWebhookSecret = describe('postWebhookSecret', {
  tag,
  summary: 'Rotate the secret of the webhook',
  description:
    'For a day, messages are signed with both the new and the previous secret, so that receivers can switch without a gap. ' +
    'A second rotation within that day drops the oldest of the three secrets.',
  answers: { 200: { description: 'The webhook, with its new secret', data: webhook } },
  errors: { 409: 'The client has no webhook' },
});

export const deleteWebhook = describe('deleteWebhook', {
  tag,
  summary: 'Delete the webhook',
  answers: {
    200: {
      description: 'The webhook is deleted, or there was none',
      data: z.object({ removed: z.boolean() }),
    },
  },
});

const webhookDelivery = z
  .object({
    id: z.int(),
    webhook_id: z
      .string()
      .meta({ description: 'Header `webhook-id` of the message, the same in every attempt' }),
    import_id: z.int().nullable().meta({ description: 'Null for a message that is about no import' }),
    target: z
      .enum(WEBHOOK_TARGETS)
      .meta({ description: '`client`: URL of the client’s webhook; `import`: URL of the upload' }),
    url: z.string(),
    event: z.enum(WEBHOOK_EVENTS),
    size_bytes: z.int().meta({ description: 'Size of the body of the message' }),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.int(),
    last_attempt_at: timestamp.nullable(),
    last_status: z
      .int()
      .nullable()
      .meta({ description: 'HTTP status of the last attempt; null if there was no answer' }),
    last_body: z.string().nullable().meta({
      description:
        'The first 1,024 bytes of the answer to the last attempt, as text; null if there was no answer',
    }),
    last_error: z.string().nullable(),
    created_at: timestamp,
    delivered_at: timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const postWebhookTest = describe('postWebhookTest', {
  tag,
  summary: 'Send a test message to the webhook',
  description: 'Signed, retried, listed and counted like every message.',
  answers: { 202: { description: 'The message is being delivered', data: webhookDelivery } },
  errors: { 409: 'The client has no webhook, or the webhook has no URL' },
});

const deliveryQuery = z.object({
  ...pageQuery.shape,
  import_id: idParams.shape.id.optional().meta({ description: 'Only messages about this import' }),
});

export type WebhookDeliveryQuery = z.input<typeof deliveryQuery>;

const deliveryPage = z.object({ deliveries: z.array(webhookDelivery), next_before: nextBefore });

export type WebhookDeliveryPage = z.infer<typeof deliveryPage>;

export const getWebhookDeliveries = describe('getWebhookDeliveries', {
  tag,
  summary: 'List webhook deliveries, newest first',
  query: deliveryQuery,
  answers: { 200: { description: 'A page of deliveries', data: deliveryPage } },
});

export const postWebhookRedelivery = describe('postWebhookRedelivery', {
  tag,
  summary: 'Redeliver a webhook message',
  description:
    "Sends the same message with the same `webhook-id` and retries for another day. A message to the client's webhook goes " +
    'to its current URL. A delivery that is still running continues.',
  params: idParams,
  answers: { 202: { description: 'The delivery is running', data: webhookDelivery } },
  errors: { 404: 'The delivery does not exist, or belongs to another client' },
});
