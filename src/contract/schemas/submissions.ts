import { z } from 'zod';
import type { ErrorCode } from '../error-codes.ts';
import {
  INSERT_PROCESS,
  JOB_STATES,
  QUEUE_STATUS,
  SUBMISSION_SOURCE,
  SUBMISSION_STATUSES,
} from '../statuses.ts';
import { INSERT_STEPS } from '../steps.ts';
import { eachOf, idParams, nextBefore, pageQuery, productIdText, timestamp } from './common.ts';
import { describe } from './operation.ts';

const status = z.enum(SUBMISSION_STATUSES);

/** True once the regulator has accepted that part of the product. */
const stepFlags = eachOf(INSERT_STEPS, z.boolean()).shape;

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
    state: z.object({ extracted_data: z.boolean(), ...stepFlags }),
    source: z.literal(SUBMISSION_SOURCE),
    created_at: timestamp,
    updated_at: timestamp,
    actions: z
      .array(z.literal(INSERT_PROCESS))
      .meta({ description: 'Processes that can still be run on the submission' }),
    warnings: z
      .array(z.string())
      .meta({ description: 'Deviations in the product file that did not prevent its import' }),
    failure_reason: z.string().nullable().meta({ description: 'Why the insert failed' }),
    job_id: z.uuid().nullable().meta({ description: 'Run id of the regulator-insert workflow' }),
  })
  .meta({ id: 'Submission' });

/** Number of submissions by status. */
export const statusCounts = eachOf(SUBMISSION_STATUSES, z.int()).meta({ id: 'StatusCounts' });

const queuedData = z.object({
  job_id: z.uuid(),
  run_process: z.literal(INSERT_PROCESS),
  submission_id: z.int(),
  submission_comment: z.string(),
});

const alreadyQueuedData = z.object({ job_id: z.uuid(), job_state: z.enum(JOB_STATES) });

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

/** A failed queue result as the answer to a request for one submission: it has an error code. */
const refusedResult = queueResult
  .extend({ code: z.enum(['already_queued', 'not_started'] satisfies ErrorCode[]) })
  .meta({ id: 'RefusedQueueResult' });

export type Submission = z.infer<typeof submission>;
export type QueueResult = z.infer<typeof queueResult>;

const tag = 'Submissions';

const listQuery = z.object({
  import_id: idParams.shape.id.optional().meta({ description: 'Only of this import' }),
  product_id: productIdText.optional().meta({ description: 'Only of this product' }),
  status: status.optional(),
  ...pageQuery.shape,
});

export const getSubmissions = describe('getSubmissions', {
  tag,
  summary: 'List submissions, newest first',
  query: listQuery,
  answers: {
    200: {
      description: 'One page',
      data: z.object({ submissions: z.array(submission), next_before: nextBefore }),
    },
  },
});

export const getSubmission = describe('getSubmission', {
  tag,
  summary: 'A submission as it stands now',
  params: idParams,
  answers: { 200: { description: 'The submission', data: submission } },
  errors: { 404: 'No such submission, or not yours' },
});

export const postSubmissionAction = describe('postSubmissionAction', {
  tag,
  summary: 'Run a process that the submission names in `actions`',
  params: z.object({ ...idParams.shape, process: z.enum([INSERT_PROCESS]) }),
  answers: {
    202: { description: 'Queued', data: queueResult },
    409: { description: 'The product is already queued or running', data: refusedResult },
    503: { description: 'The run could not be started', data: refusedResult },
  },
  errors: {
    404: 'No such submission, or not yours',
    409: 'the submission has no such action now',
    412: 'No active regulator session',
  },
});

export const getSubmissionXml = describe('getSubmissionXml', {
  tag,
  summary: 'The product file of a submission, as it was sent',
  description: 'The unchanged bytes of the package, in the encoding that the file declares.',
  params: idParams,
  answers: { 200: { contentType: 'application/xml', description: 'The product file' } },
  errors: {
    404: 'No such submission, or not yours',
    410: 'The product file has been removed by retention',
  },
});
