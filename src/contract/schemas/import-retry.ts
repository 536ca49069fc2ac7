import { z } from 'zod';
import { GREATEST_ID } from '../limits.ts';
import { idParams, pageQuery, timestamp } from './common.ts';
import { describe } from './operation.ts';
import { queueResult } from './submissions.ts';

const retriedResult = queueResult
  .extend({ product_id: z.string() })
  .meta({ id: 'RetriedQueueResult', description: 'A queue result with its product' });

/** Retry of an import: queue results (interface §2.6), in pages. */
const importRetry = z
  .object({
    queued_count: z.int(),
    failed_count: z.int().meta({ description: 'Not queued: 409 or 503' }),
    pending_count: z.int().meta({ description: 'Not tried yet: their results follow' }),
    results: z.array(retriedResult),
    next_after: z
      .int()
      .nullable()
      .meta({ description: '`after` of the next page; null: no more, and none will follow' }),
    requested_by: z.string().nullable().meta({ description: 'As in the audit trail; null: nothing was run' }),
    requested_at: timestamp.nullable(),
    ended_at: timestamp.nullable().meta({ description: 'When the last product had its result' }),
  })
  .meta({ id: 'ImportRetry' });

export type ImportRetry = z.infer<typeof importRetry>;

const tag = 'Package imports';

const limitQuery = z.object({ limit: pageQuery.shape.limit });
const resultsQuery = z.object({
  ...limitQuery.shape,
  after: z.coerce.number<number>().int().min(0).max(GREATEST_ID).default(0).meta({
    description: 'Only results after this submission: `next_after` of the last page',
  }),
});

export const postImportRetry = describe('postImportRetry', {
  tag,
  summary: 'Run again what failed or was not queued',
  description:
    'Everything that offers `regulator-insert` now is recorded and then started one after the other, also when ' +
    'nobody waits any more. The answer has the first results; further ones are at the same address (GET). While it ' +
    'is under way, or its inserts are and nothing else can be run, asking again gets the same.',
  params: idParams,
  query: limitQuery,
  answers: { 202: { description: 'The retry is running, or there is nothing to run', data: importRetry } },
  errors: {
    404: 'No such import, or not yours',
    409: 'The import has not been queued yet, could not be read, or is being cancelled',
    412: 'No active regulator session',
  },
});

export const getImportRetry = describe('getImportRetry', {
  tag,
  summary: 'How far it is with what was run again last, and the results',
  params: idParams,
  query: resultsQuery,
  answers: { 200: { description: 'One page of results, in archive order', data: importRetry } },
  errors: { 404: 'No such import, or not yours, or nothing of it was run again' },
});
