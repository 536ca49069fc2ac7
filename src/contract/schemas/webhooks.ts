import { z } from 'zod';
import { WEBHOOK_URL_LENGTH } from '../limits.ts';
import { timestamp } from './common.ts';
import { describe } from './operation.ts';

const url = z.string().max(WEBHOOK_URL_LENGTH).nullable();

const webhook = z
  .object({
    url: url.meta({ description: 'Null: only uploads with a `webhook_url` of their own are told of' }),
    secret: z.string().nullable().meta({
      description:
        'What messages are signed with (Standard Webhooks). Told once, when it is made; null later',
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    }),
    previous_secret_valid_until: timestamp
      .nullable()
      .meta({ description: 'Until then messages are signed with the secret before as well' }),
    updated_at: timestamp,
  })
  .meta({ id: 'Webhook' });

const webhookRegistration = z.object({
  url: url.meta({
    description:
      'Told of the end of every import of this client; null for only those whose upload names a URL',
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
    'The answer to the first request has the secret that messages are signed with, and no later one. Messages are those ' +
    'of Standard Webhooks, with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
  body: webhookRegistration,
  answers: { 200: { description: 'The webhook; with its secret where there was none', data: webhook } },
  errors: { 400: 'Invalid body, a URL that messages may not go to, or a service without webhooks' },
});

export const postWebhookSecret = describe('postWebhookSecret', {
  tag,
  summary: 'Make a new secret',
  description: 'For a day messages are signed with the one before as well, so that none is missed.',
  answers: { 200: { description: 'The webhook, with its new secret', data: webhook } },
  errors: { 409: 'The client has no webhook' },
});

export const deleteWebhook = describe('deleteWebhook', {
  tag,
  summary: 'Have no webhook any more',
  answers: { 200: { description: 'There is none any more', data: z.object({ removed: z.boolean() }) } },
});
