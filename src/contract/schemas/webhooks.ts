import { z } from 'zod';
import { WEBHOOK_URL_LENGTH } from '../limits.ts';
import { timestamp } from './common.ts';
import { describe } from './operation.ts';

const url = z.string().max(WEBHOOK_URL_LENGTH).nullable();

const webhook = z
  .object({
    url: url.meta({ description: 'Null: messages for uploads with a `webhook_url` only' }),
    secret: z.string().nullable().meta({
      description:
        'The secret that signs messages (Standard Webhooks). Shown once, when it is created; null later',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    }),
    previous_secret_valid_until: timestamp
      .nullable()
      .meta({ description: 'Until then, messages are also signed with the previous secret' }),
    updated_at: timestamp,
  })
  .meta({ id: 'Webhook' });

const webhookRegistration = z.object({
  url: url.meta({
    description:
      'Gets a message at the end of every import of this client; null for messages to the URLs of uploads only',
    example: 'https://hooks.company.example/package-imports',
  }),
});

export type Webhook = z.infer<typeof webhook>;

const tag = 'Webhooks';

export const getWebhook = describe('getWebhook', {
  tag,
  summary: "This client's webhook",
  answers: { 200: { description: 'The webhook, without its secret', data: webhook } },
  errors: { 409: 'The client has none' },
});

export const putWebhook = describe('putWebhook', {
  tag,
  summary: 'Register the webhook, or change its URL',
  description:
    'Only the answer to the first request contains the secret that signs messages. Messages follow ' +
    'Standard Webhooks, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
  body: webhookRegistration,
  answers: { 200: { description: 'The webhook, with its secret if there was none before', data: webhook } },
  errors: { 400: 'Invalid body, a URL that messages may not go to, or a service without webhooks' },
});

export const postWebhookSecret = describe('postWebhookSecret', {
  tag,
  summary: 'Make a new secret',
  description:
    'For a day, messages are also signed with the previous secret, so that receivers can change it without a gap.',
  answers: { 200: { description: 'The webhook, with its new secret', data: webhook } },
  errors: { 409: 'The client has no webhook' },
});

export const deleteWebhook = describe('deleteWebhook', {
  tag,
  summary: 'Have no webhook any more',
  answers: {
    200: {
      description: 'The webhook is removed, or there was none',
      data: z.object({ removed: z.boolean() }),
    },
  },
});
