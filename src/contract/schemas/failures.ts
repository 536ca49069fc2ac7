/** Failed products over all imports, in groups, and the run that retries or cancels many of them. */
import { z } from 'zod';
import { FAILURE_CODES, FAILURES_SCAN_LIMIT } from '../failures.ts';
import { SUBMITTER_ID_PATTERN } from '../limits.ts';
import { CANCEL_ACTION, IMPORT_ACTIONS } from '../statuses.ts';
import { INSERT_STEPS } from '../steps.ts';
import { clientText, dayOrMoment, FORBIDDEN, timestamp, trueOrFalse } from './common.ts';
import { describe } from './operation.ts';

const filterQuery = z.object({
  failed_since: dayOrMoment
    .transform((text) => new Date(text).toISOString())
    .optional()
    .meta({ description: 'Only products that failed at this day (UTC) or time, or later' }),
  client_id: clientText,
  submitter_id: z.string().regex(SUBMITTER_ID_PATTERN, 'must have five digits').optional(),
  group: z
    .string()
    .max(4_000)
    .regex(/^[a-z_]*:[a-z_]*(,[a-z_]*:[a-z_]*)*$/, 'must be groups such as regulator_rejected:design')
    .transform((text) => text.split(','))
    .optional()
    .meta({
      description:
        'Only these groups, each as `reason_code:step`, with commas between. An empty part means all',
      example: 'regulator_rejected:design,cancelled:',
    }),
});

const amounts = { products: z.int(), imports: z.int() };

const failureGroup = z
  .object({
    reason_code: z.enum(FAILURE_CODES),
    step: z.enum(INSERT_STEPS).nullable().meta({ description: 'The first step that is not done' }),
    ...amounts,
    first_failed_at: timestamp,
    last_failed_at: timestamp,
    example: z.object({
      submission_id: z.int(),
      product_id: z.string(),
      package_import_id: z.int(),
      reason: z.string().nullable(),
    }),
    action: z.string().meta({ description: 'What helps' }),
  })
  .meta({ id: 'FailureGroup' });

const run = z
  .object({
    action: z.enum(IMPORT_ACTIONS),
    status: z.enum(['running', 'completed', 'stopped', 'failed']),
    requested_by: z.string(),
    requested_at: timestamp,
    ended_at: timestamp.nullable(),
    ...amounts,
    done_imports: z.int(),
    done_products: z
      .int()
      .meta({ description: 'Products that were queued, or whose import is being cancelled' }),
  })
  .meta({ id: 'FailuresRun', description: '`products` and `imports` are those of the preview' });

const lastRun = z.object({ run: run.nullable().meta({ description: 'The last run; null for none' }) });

const failures = z
  .object({
    ...amounts,
    complete: z.boolean().meta({
      description: `False if only ${FAILURES_SCAN_LIMIT} products of the newest imports were counted. A run reaches all`,
    }),
    groups: z.array(failureGroup),
  })
  .meta({ id: 'Failures' });

export type FailuresQuery = z.input<typeof filterQuery>;
export type Failures = z.infer<typeof failures>;
export type FailuresRun = z.infer<typeof run>;

const tag = 'Failures';

export const getFailures = describe('getFailures', {
  tag,
  summary: 'Count failed products over all imports, by reason and step',
  description: 'Only products that can be run again.',
  query: filterQuery,
  answers: { 200: { description: 'The groups, the largest first', data: failures } },
  errors: { 403: FORBIDDEN },
});

export const postFailuresAction = describe('postFailuresAction', {
  tag,
  summary: 'Retry the failed products that match, or cancel their running imports',
  description:
    'One run goes through the imports, and continues without its client. Each client has one at a time, operators have ' +
    `one for all. \`${CANCEL_ACTION}\` also needs the permission to import, and cancels imports as a whole.`,
  params: z.object({ action: z.enum(IMPORT_ACTIONS) }),
  query: filterQuery.extend({
    dry_run: trueOrFalse
      .prefault('false')
      .meta({ description: '`true`: counts what the run would reach, and starts nothing' }),
  }),
  answers: {
    202: { description: 'The run has started', data: failures.extend(lastRun.shape) },
    200: { description: 'The preview, or nothing matches', data: failures.extend(lastRun.shape) },
  },
  errors: { 403: FORBIDDEN, 409: 'Another run is under way', 412: 'No active regulator session' },
});

export const getFailuresRun = describe('getFailuresRun', {
  tag,
  summary: 'Get the last run over failures',
  answers: { 200: { description: 'The run, as long as Temporal keeps it', data: lastRun } },
});

export const postFailuresRunStop = describe('postFailuresRunStop', {
  tag,
  summary: 'Stop the run over failures',
  description: 'Products that are queued already are inserted. A repeated request changes nothing.',
  answers: { 202: { description: 'The run stops, or has ended', data: lastRun } },
});
