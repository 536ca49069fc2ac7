import { z } from 'zod';
import {
  DELIVERY_STATUSES,
  WEBHOOK_EVENTS,
  WEBHOOK_TARGETS,
  WEBHOOK_URL_LENGTH,
} from '../../domain/webhook.ts';
import { timestamp } from './common.ts';

const url = z.string().max(WEBHOOK_URL_LENGTH).nullable();

export const webhook = z
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

export const webhookRegistration = z.object({
  url: url.meta({
    description:
      'Told of the end of every import of this client; null for only those whose upload names a URL',
    example: 'https://hooks.company.example/package-imports',
  }),
});

export const webhookDelivery = z
  .object({
    id: z.int(),
    webhook_id: z.string().meta({ description: 'The message’s header `webhook-id`, the same for every try' }),
    import_id: z.int(),
    target: z
      .enum(WEBHOOK_TARGETS)
      .meta({ description: 'Whether the URL is the client’s or that of the upload' }),
    url: z.string(),
    event: z.enum(WEBHOOK_EVENTS),
    status: z.enum(DELIVERY_STATUSES),
    tries: z.int(),
    last_try_at: timestamp.nullable(),
    last_status: z.int().nullable().meta({ description: 'HTTP status of the last try; null: no answer' }),
    last_error: z.string().nullable(),
    created_at: timestamp,
    delivered_at: timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });

export type WebhookJson = z.infer<typeof webhook>;
export type WebhookDeliveryJson = z.infer<typeof webhookDelivery>;
