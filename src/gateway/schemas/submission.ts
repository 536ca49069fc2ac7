import { z } from 'zod';
import type { ErrorCode } from '../../domain/error-codes.ts';
import { QUEUE_STATUS } from '../../domain/queue.ts';
import { INSERT_PROCESS, SUBMISSION_SOURCE, SUBMISSION_STATUSES } from '../../domain/submission.ts';
import { timestamp } from './common.ts';

const status = z.enum(SUBMISSION_STATUSES);

/** Interface §2.7; `warnings`, `failure_reason` and `job_id` are additions of this service. */
export const submission = z
  .object({
    id: z.int(),
    uuid: z.uuid(),
    case_id: z.string().nullable().meta({ description: "The regulator's case; null at creation" }),
    product_id: z.string().meta({ example: '99962-22-00003' }),
    zip_import_id: z.object({ id: z.int(), comment: z.string().nullable() }),
    status,
    regulator_data: z.object({
      status,
      product_type: z.string(),
      submission_date: z.string(),
      submission_comment: z.string(),
      submission_type: z.string(),
      modified_date: z.string(),
    }),
    state: z.object({
      extracted_data: z.boolean(),
      init_validate: z.boolean(),
      product_details: z.boolean(),
      product_presentation: z.boolean(),
      design: z.boolean(),
      ingredients: z.boolean(),
      emission: z.boolean(),
    }),
    source: z.literal(SUBMISSION_SOURCE),
    created_at: timestamp,
    updated_at: timestamp,
    actions: z
      .array(z.literal(INSERT_PROCESS))
      .meta({ description: 'Processes that can still be run on the submission' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'Deviations in the product file that did not keep it from being imported' }),
    failure_reason: z.string().nullable().meta({ description: 'Why the insert failed' }),
    job_id: z.uuid().nullable().meta({ description: 'Run id of the regulator-insert workflow' }),
  })
  .meta({ id: 'Submission' });

/** How many submissions have which status. */
export const statusCounts = z
  .object({
    local: z.int(),
    regulator_inserting: z.int(),
    regulator_inserted: z.int(),
    regulator_insert_failed: z.int(),
  })
  .meta({ id: 'StatusCounts' });

const queuedData = z.object({
  job_id: z.uuid(),
  run_process: z.literal(INSERT_PROCESS),
  submission_id: z.int(),
  submission_comment: z.string(),
});

const alreadyQueuedData = z.object({ job_id: z.uuid(), job_state: z.enum(['waiting', 'active']) });

/** Interface §2.6. */
export const queueResult = z
  .object({
    submission_id: z.int(),
    ok: z.boolean(),
    status: z.union(Object.values(QUEUE_STATUS).map((code) => z.literal(code))),
    message: z.string(),
    data: z.union([queuedData, alreadyQueuedData, z.object({}).strict()]),
  })
  .meta({ id: 'QueueResult' });

/** The same as the answer to a request that was about it alone: an error, with its code. */
export const refusedResult = queueResult
  .extend({ code: z.enum(['already_queued', 'not_started'] satisfies ErrorCode[]) })
  .meta({ id: 'RefusedQueueResult' });

export type SubmissionJson = z.infer<typeof submission>;
export type QueueResultJson = z.infer<typeof queueResult>;
