import { z } from 'zod';
import { VERIFICATION_CODE_LENGTH } from '../limits.ts';
import { SESSION_STATUSES } from '../statuses.ts';
import { timestamp } from './common.ts';
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
    .min(1, 'must not be empty')
    .max(VERIFICATION_CODE_LENGTH)
    .meta({ description: 'The code from the e-mail', example: '123456' }),
});

export type RegulatorSession = z.infer<typeof regulatorSession>;

const tag = 'Regulator session';

export const getRegulatorSession = describe('getRegulatorSession', {
  tag,
  summary: 'The state of the regulator session',
  answers: { 200: { description: 'The state', data: regulatorSession } },
});

export const postRegulatorSession = describe('postRegulatorSession', {
  tag,
  summary: 'Start a new login; the regulator sends a verification code by e-mail',
  answers: { 202: { description: 'The login waits for its code', data: regulatorSession } },
  errors: { 502: 'The regulator refused the login or cannot be reached' },
});

export const postRegulatorSessionVerification = describe('postRegulatorSessionVerification', {
  tag,
  summary: 'Give the verification code',
  body: verification,
  answers: { 200: { description: 'The session is active', data: regulatorSession } },
  errors: {
    400: 'The code is wrong, which leaves the login pending until the fifth time; or no login waits for one',
    502: 'The regulator cannot be reached',
  },
});

export const deleteRegulatorSession = describe('deleteRegulatorSession', {
  tag,
  summary: 'Log out',
  answers: { 200: { description: 'There is no session any more', data: regulatorSession } },
});
