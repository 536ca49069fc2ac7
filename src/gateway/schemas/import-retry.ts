import { z } from 'zod';
import { timestamp } from './common.ts';
import { queueResult } from './submission.ts';

const retriedResult = queueResult
  .extend({ product_id: z.string() })
  .meta({ id: 'RetriedQueueResult', description: 'A queue result, and of which product it is' });

/** Running again what is left of an import: results as of interface §2.6, in pages. */
export const importRetry = z
  .object({
    queued_count: z.int(),
    failed_count: z.int().meta({ description: 'Not queued: 409 or 503' }),
    pending_count: z.int().meta({ description: 'Not tried yet: their results come' }),
    results: z.array(retriedResult),
    next_after: z
      .int()
      .nullable()
      .meta({ description: '`after` of the next page; null: no more, and none to come' }),
    requested_by: z.string().nullable().meta({ description: 'As in the audit trail; null: nothing was run' }),
    requested_at: timestamp.nullable(),
    ended_at: timestamp.nullable().meta({ description: 'When the last product had its result' }),
  })
  .meta({ id: 'ImportRetry' });

export type ImportRetryJson = z.infer<typeof importRetry>;
