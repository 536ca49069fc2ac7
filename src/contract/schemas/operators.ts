/** Regulator session, inserting, audit trail and health: what operators and their programs use. */
import { z } from 'zod';
import { PAUSE_REASON_LENGTH, VERIFICATION_CODE_LENGTH } from '../limits.ts';
import { SESSION_STATUSES } from '../statuses.ts';
import { idParams, NOT_BLANK, nextBefore, pageQuery, plainText, storableText, timestamp } from './common.ts';
import { describe } from './operation.ts';

const regulatorSession = z
  .object({
    status: z.enum(SESSION_STATUSES),
    expires_at: timestamp.nullable(),
    regulator_session_message: z.string(),
  })
  .meta({ id: 'RegulatorSession' });

const verification = z.object({
  code: z
    .string()
    .trim()
    .regex(NOT_BLANK, 'must not be empty')
    .max(VERIFICATION_CODE_LENGTH)
    .meta({ description: 'Verification code from the e-mail', example: '123456' }),
});

export type RegulatorSession = z.infer<typeof regulatorSession>;

export const getRegulatorSession = describe('getRegulatorSession', {
  tag: 'Regulator session',
  summary: 'Get the state of the regulator session',
  answers: { 200: { description: 'The state of the session', data: regulatorSession } },
});

export const postRegulatorSession = describe('postRegulatorSession', {
  tag: 'Regulator session',
  summary: 'Log in with the regulator',
  description:
    'Starts a new login. The regulator sends a verification code by e-mail. All clients together have 20 logins an hour.',
  answers: { 202: { description: 'The login waits for its verification code', data: regulatorSession } },
  errors: { 502: 'The regulator refused the login or cannot be reached' },
});

export const postRegulatorSessionVerification = describe('postRegulatorSessionVerification', {
  tag: 'Regulator session',
  summary: 'Complete the login with the verification code',
  body: verification,
  answers: { 200: { description: 'The session is active', data: regulatorSession } },
  errors: {
    400: 'The code is wrong, or no login waits for a code. The fifth wrong code ends the login',
    502: 'The regulator cannot be reached',
  },
});

export const deleteRegulatorSession = describe('deleteRegulatorSession', {
  tag: 'Regulator session',
  summary: 'Log out of the regulator session',
  answers: { 200: { description: 'The session has ended', data: regulatorSession } },
  errors: { 502: 'The regulator cannot be reached. The session stays active' },
});

const inserting = z
  .object({
    paused: z.boolean(),
    reason: z.string().nullable(),
    paused_by: z.string().nullable(),
    paused_at: timestamp.nullable(),
  })
  .meta({ id: 'Inserting' });

const pause = z.object({
  reason: storableText
    .trim()
    .regex(NOT_BLANK, 'must not be empty')
    .max(PAUSE_REASON_LENGTH)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: one line, for logs and the Web UI
    .regex(/^[^\u0000-\u001f\u007f]*$/, 'must be one line')
    .meta({
      description: 'Reason for the pause. Every waiting run shows it',
      example: 'maintenance at the regulator',
    }),
});

export type Inserting = z.infer<typeof inserting>;

export const getInserting = describe('getInserting', {
  tag: 'Inserting',
  summary: 'Get whether inserting is paused',
  answers: { 200: { description: 'The state of inserting', data: inserting } },
});

export const postInsertingPause = describe('postInsertingPause', {
  tag: 'Inserting',
  summary: 'Pause inserting',
  description:
    'Workers finish the running steps. A second later they begin no further steps. Uploads are answered as usual, and ' +
    'their products are queued. Every waiting run shows the reason.',
  body: pause,
  answers: { 200: { description: 'Inserting is paused', data: inserting } },
});

export const postInsertingResume = describe('postInsertingResume', {
  tag: 'Inserting',
  summary: 'Resume inserting',
  answers: { 200: { description: 'Inserting is resumed', data: inserting } },
});

const ACTORS =
  '`client:<id>`, `person:<sub> (<name>)` on the web page, `workflow:<workflow id>/<run id>` or `service:<part>`';

const auditEvent = z
  .object({
    id: z.int(),
    at: timestamp,
    actor: z.string().meta({
      description: ACTORS,
      example: 'client:demo-client',
    }),
    action: z.string().meta({ example: 'submission.regulator_inserted' }),
    import_id: z.int().nullable(),
    submission_id: z.int().nullable(),
    detail: z
      .unknown()
      .meta({ description: 'Details of the action, e.g. the previous status and the reason' }),
  })
  .meta({ id: 'AuditEvent' });

const auditPage = z.object({ audit_events: z.array(auditEvent), next_before: nextBefore });

export type AuditEvent = z.infer<typeof auditEvent>;
export type AuditPage = z.infer<typeof auditPage>;

const listQuery = z.object({
  import_id: idParams.shape.id.optional(),
  submission_id: idParams.shape.id.optional(),
  actor: plainText
    .optional()
    .meta({ description: 'An actor as in the events. `person:<sub>` finds the person under every name' }),
  action: plainText
    .transform((text) => text.split(',').map((action) => action.trim()))
    .optional()
    .meta({ description: 'Name of an action, or several names separated by commas' }),
  ...pageQuery.shape,
});

export type AuditQuery = z.input<typeof listQuery>;

export const getAuditEvents = describe('getAuditEvents', {
  tag: 'Audit trail',
  summary: 'List audit events, newest first',
  description:
    "Events are status changes, retries, session actions, and reads of other clients' records by operators.",
  query: listQuery,
  answers: { 200: { description: 'A page of audit events', data: auditPage } },
});

export const getLiveness = describe('getLiveness', {
  tag: 'Health',
  summary: 'Check that the gateway answers',
  answers: {
    200: {
      description: 'The gateway answers',
      data: z.object({ version: z.string().describe('Version of the running service') }),
    },
  },
});
