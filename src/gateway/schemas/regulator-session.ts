import { z } from 'zod';
import { SESSION_STATUSES } from '../../domain/regulator-session.ts';
import { timestamp } from './common.ts';

export const regulatorSession = z
  .object({
    status: z.enum(SESSION_STATUSES),
    expires_at: timestamp.nullable(),
    regulator_session_message: z.string(),
  })
  .meta({ id: 'RegulatorSession' });

export const verification = z.object({
  code: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(64)
    .meta({ description: 'The code from the e-mail', example: '123456' }),
});

export type RegulatorSessionJson = z.infer<typeof regulatorSession>;
