/** The service's own login with the regulator (interface §4.1 rule 6, decision §the-regulator-is-a-port). */
import type { SessionStatus } from '../contract/statuses.ts';

/** The public part of the session, without its secret. */
export interface SessionState {
  status: SessionStatus;
  expiresAt: Date | null;
}

/** The reason given to clients (412) and operators. Each state has one sentence that says what to do. */
export function sessionMessage({ status, expiresAt }: SessionState): string {
  switch (status) {
    case 'none':
      return 'No regulator session stored. Log in with POST /regulator/session.';
    case 'awaiting_verification_code':
      return 'The regulator login is waiting for the verification code sent by e-mail. Enter it with POST /regulator/session/verification.';
    case 'expired':
      return `The regulator session expired${expiresAt ? ` at ${expiresAt.toISOString()}` : ''}. Log in with POST /regulator/session.`;
    case 'active':
      return `The regulator session is active${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}.`;
  }
}
