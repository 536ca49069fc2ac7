import { z } from 'zod';
import { WEBHOOK_URL_LENGTH } from '../limits.ts';
import { timestamp } from './common.ts';
import { describe } from './operation.ts';

const url = z.string().max(WEBHOOK_URL_LENGTH).nullable();

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
    updated_at: timestamp,
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

const tag = 'Webhooks';

export const getWebhook = describe('getWebhook', {
  tag,
  summary: 'Get the webhook',
  answers: { 200: { description: 'The webhook, without its secret', data: webhook } },
  errors: { 409: 'The client has no webhook' },
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
    'For a day, messages are signed with both the new and the previous secret, so that receivers can switch without a gap.',
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
