/** The messages to webhooks, by their event. The receiver reads further details from the API. */
import { z } from 'zod';
import { IMPORT_EVENTS, TEST_EVENT } from '../statuses.ts';
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

/** JSON of a message: less than 1 KiB. */
export type WebhookPayload = z.infer<typeof importMessage> | z.infer<typeof testMessage>;
