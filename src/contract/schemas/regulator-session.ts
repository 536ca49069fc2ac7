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
    .meta({ description: 'Verification code from the e-mail', example: '123456' }),
});

export type RegulatorSession = z.infer<typeof regulatorSession>;

const tag = 'Regulator session';

export const getRegulatorSession = describe('getRegulatorSession', {
  tag,
  summary: 'Get the state of the regulator session',
  answers: { 200: { description: 'The state of the session', data: regulatorSession } },
});

export const postRegulatorSession = describe('postRegulatorSession', {
  tag,
  summary: 'Log in with the regulator',
  description:
    'Starts a new login. The regulator sends a verification code by e-mail. All clients together have 20 logins an hour.',
  answers: { 202: { description: 'The login waits for its verification code', data: regulatorSession } },
  errors: { 502: 'The regulator refused the login or cannot be reached' },
});

export const postRegulatorSessionVerification = describe('postRegulatorSessionVerification', {
  tag,
  summary: 'Complete the login with the verification code',
  body: verification,
  answers: { 200: { description: 'The session is active', data: regulatorSession } },
  errors: {
    400: 'The code is wrong, or no login waits for a code. The fifth wrong code ends the login',
    502: 'The regulator cannot be reached',
  },
});

export const deleteRegulatorSession = describe('deleteRegulatorSession', {
  tag,
  summary: 'Log out of the regulator session',
  answers: { 200: { description: 'The session has ended', data: regulatorSession } },
});
