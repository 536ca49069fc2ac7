/** The messages to webhooks, by their event. The receiver reads further details from the API. */
import { z } from 'zod';
import {
  IMPORT_EVENTS,
  INSERTING_EVENTS,
  PRODUCTS_FAILED_EVENT,
  SESSION_EVENTS,
  TEST_EVENT,
  type WebhookEvent,
} from '../statuses.ts';
import { timestamp } from './common.ts';

const importUrl = z.string().nullable().meta({
  description: 'URL of the import in the API; null if the public URL of the service is not configured',
});

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
      url: importUrl,
    }),
  })
  .meta({ id: 'ImportMessage' });

const productsFailedMessage = z
  .object({
    type: z.literal(PRODUCTS_FAILED_EVENT),
    timestamp: timestamp.meta({ description: 'The time of the count' }),
    data: z.object({
      import_id: z.int(),
      insert_failed: z.int().meta({ description: 'Products of the import that have failed so far' }),
      url: importUrl,
    }),
  })
  .meta({ id: 'ProductsFailedMessage' });

const sessionMessage = z
  .object({
    type: z.enum(SESSION_EVENTS),
    timestamp: timestamp.meta({ description: 'The time at which the service noticed it' }),
    data: z.object({ expires_at: timestamp.meta({ description: 'The end of the session' }) }),
  })
  .meta({ id: 'SessionMessage' });

const insertingMessage = z
  .object({
    type: z.enum(INSERTING_EVENTS),
    timestamp: timestamp.meta({ description: 'The beginning of the pause, or the time of its end' }),
    data: z.object({}),
  })
  .meta({ id: 'InsertingMessage' });

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
  [PRODUCTS_FAILED_EVENT]: {
    summary: 'Products of an import have failed: the first, and again whenever their number has doubled',
    message: productsFailedMessage,
  },
  'regulator_session.ends_soon': {
    summary: 'The regulator session ends soon, and could not be renewed',
    message: sessionMessage,
  },
  'regulator_session.ended': {
    summary: 'The regulator session has ended: inserts wait for a login',
    message: sessionMessage,
  },
  'inserting.paused': { summary: 'Operators have paused inserting', message: insertingMessage },
  'inserting.resumed': { summary: 'Operators have resumed inserting', message: insertingMessage },
  [TEST_EVENT]: { summary: 'Somebody has asked for a test message', message: testMessage },
};

/** Headers of every message (Standard Webhooks). */
export const messageHeaders = z.object({
  'webhook-id': z.string().meta({
    description: 'The same for every attempt, so that a receiver recognizes a repetition',
    example: 'msg_00000000-0000-4000-8000-000000000016',
  }),
  'webhook-timestamp': z.string().meta({
    description: 'Seconds since 1970 of this attempt. Refuse a message that is more than five minutes old',
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
export type WebhookPayload = z.infer<
  | typeof importMessage
  | typeof productsFailedMessage
  | typeof sessionMessage
  | typeof insertingMessage
  | typeof testMessage
>;
