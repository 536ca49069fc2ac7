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
import {
  docUrl,
  eachOf,
  idParams,
  nextBefore,
  pageQuery,
  productIdText,
  reason,
  searchedText,
  timestamp,
} from './common.ts';
import { describe } from './operation.ts';

const status = z.enum(SUBMISSION_STATUSES);

/** True once the regulator has accepted that part of the product. */
const stepFlags = eachOf(INSERT_STEPS, z.boolean()).shape;

/** Interface §2.7; `xml_file`, `warnings`, `failure_reason`, `reasons` and `job_id` are additions of this service. */
export const submission = z
  .object({
    id: z.int(),
    uuid: z.uuid(),
    case_id: z.string().nullable().meta({ description: "ID of the regulator's case; null at creation" }),
    product_id: z.string().meta({ example: '99962-22-00003' }),
    xml_file: z.string().meta({ description: 'Name of the product file in the package' }),
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
      .meta({ description: 'Processes that can be run on the submission now' }),
    warnings: z
      .array(reason)
      .meta({ description: 'Deviations in the product file that did not prevent its import' }),
    failure_reason: z
      .string()
      .nullable()
      .meta({ description: 'Reason why the insert failed: all `reasons` in one text' }),
    reasons: z.array(reason).meta({ description: 'Reasons why the insert failed. Empty if it did not fail' }),
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
  .extend({ code: z.enum(['already_queued', 'not_started'] satisfies ErrorCode[]), doc_url: docUrl })
  .meta({ id: 'RefusedQueueResult' });

export type Submission = z.infer<typeof submission>;
export type QueueResult = z.infer<typeof queueResult>;

const tag = 'Submissions';

const listQuery = z.object({
  import_id: idParams.shape.id.optional().meta({ description: 'Only submissions of this import' }),
  product_id: productIdText.optional().meta({ description: 'Only submissions of this product' }),
  case_id: searchedText.optional().meta({
    description: "Only the submission with this ID of the regulator's case",
    example: 'CASE-100002',
  }),
  job_id: z.uuid().optional().meta({ description: 'Only the submission with this run id' }),
  status: status.optional(),
  ...pageQuery.shape,
});

export const getSubmissions = describe('getSubmissions', {
  tag,
  summary: 'List submissions, newest first',
  query: listQuery,
  answers: {
    200: {
      description: 'A page of submissions',
      data: z.object({ submissions: z.array(submission), next_before: nextBefore }),
    },
  },
});

export const getSubmission = describe('getSubmission', {
  tag,
  summary: 'Get a submission',
  params: idParams,
  answers: { 200: { description: 'The submission', data: submission } },
  errors: { 404: 'The submission does not exist, or belongs to another client' },
});

export const postSubmissionAction = describe('postSubmissionAction', {
  tag,
  summary: 'Run an action of a submission',
  description: 'Runs a process that `actions` of the submission lists.',
  params: z.object({ ...idParams.shape, process: z.enum([INSERT_PROCESS]) }),
  answers: {
    202: { description: 'The insert is queued', data: queueResult },
    409: { description: 'The product is already queued or running', data: refusedResult },
    503: { description: 'The insert could not be started', data: refusedResult },
  },
  errors: {
    404: 'The submission does not exist, or belongs to another client',
    409: 'the submission does not offer this action now',
    412: 'No active regulator session',
  },
});

export const getSubmissionXml = describe('getSubmissionXml', {
  tag,
  summary: 'Download the product file of a submission',
  description: 'The file is unchanged, in the encoding that it declares.',
  params: idParams,
  answers: { 200: { contentType: 'application/xml', description: 'The product file' } },
  errors: {
    404: 'The submission does not exist, or belongs to another client',
    410: 'Retention has removed the product file',
  },
});

const productSubmission = submission
  .extend({
    changed_sections: z.array(z.enum(INSERT_STEPS)).nullable().meta({
      description:
        'Sections that differ from the previous visible submission, named like the steps that send them; null if there is no previous one',
    }),
  })
  .meta({ id: 'ProductSubmission' });

const product = z.object({
  product_id: z.string(),
  submissions: z.array(productSubmission),
  next_before: nextBefore,
});

export type Product = z.infer<typeof product>;
export type ProductSubmission = z.infer<typeof productSubmission>;

export const getProduct = describe('getProduct', {
  tag: 'Submissions',
  summary: 'List the submissions of a product in all imports, newest first',
  params: z.object({ product_id: productIdText }),
  query: pageQuery,
  answers: { 200: { description: 'A page of submissions', data: product } },
  errors: { 404: 'The product has no submissions, or only those of other clients' },
});
