/** The messages to webhooks, by their event. The receiver reads further details from the API. */
import { z } from 'zod';
import { IMPORT_EVENTS, TEST_EVENT, type WebhookEvent } from '../statuses.ts';
import { timestamp } from './common.ts';

const importMessage = z
  .object({
    type: z.enum(IMPORT_EVENTS),
    timestamp: timestamp.meta({ description: 'The end of the import' }),
    data: z.object({
      import_id: z.int(),
      counts: z.object({
        created: z.int(),
        skipped: z.int(),
        failed: z.int(),
        queued: z.int(),
        queue_failed: z.int(),
        inserted: z.int(),
        insert_failed: z.int(),
      }),
      url: z.string().nullable().meta({
        description: 'URL of the import in the API; null if the public URL of the service is not configured',
      }),
    }),
  })
  .meta({ id: 'ImportMessage' });

const testMessage = z
  .object({
    type: z.literal(TEST_EVENT),
    timestamp: timestamp.meta({ description: 'The time of the request' }),
    data: z.object({}),
  })
  .meta({ id: 'TestMessage' });

/** Each event, with the schema of its message. */
export const WEBHOOK_MESSAGES: Readonly<Record<WebhookEvent, { summary: string; message: z.ZodType }>> = {
  'package_import.completed': { summary: 'An import is over', message: importMessage },
  'package_import.failed': { summary: 'A package could not be read', message: importMessage },
  'package_import.cancelled': { summary: 'An import was cancelled', message: importMessage },
  [TEST_EVENT]: { summary: 'Somebody has asked for a test message', message: testMessage },
};

/** Headers of every message (Standard Webhooks). */
export const messageHeaders = z.object({
  'webhook-id': z.string().meta({
    description: 'The same for every try, so that a receiver recognizes a repetition',
    example: 'msg_00000000-0000-4000-8000-000000000016',
  }),
  'webhook-timestamp': z.string().meta({
    description: 'Seconds since 1970 of this try. Refuse a message that is more than five minutes old',
    example: '1769860800',
  }),
  'webhook-signature': z.string().meta({
    description:
      'Signatures with a space between: `v1,` and the base64 of the HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}`. ' +
      'The key is the secret without `whsec_`, decoded from base64. One of them must match',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  }),
});

/** JSON of a message: less than 1 KiB. */
export type WebhookPayload = z.infer<typeof importMessage> | z.infer<typeof testMessage>;
