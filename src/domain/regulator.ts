/** The regulator: the service's session with it (interface §4.1 rule 6), its cases, and the pause of inserting. */
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

/** An open case of the regulator. Its dates are in the regulator's format. */
export interface OpenCase {
  caseId: string;
  submissionDate: string;
  modifiedDate: string;
  submissionType: string;
}

/** An operator has paused all inserting: no step begins. Uploads are still answered. */
export interface InsertingPause {
  /** The operator's reason. */
  reason: string;
  /** Actor as in the audit trail. */
  actor: string;
  since: Date;
}

/**
 * Message for operators, in the Web UI and in answers. Histories name no person; `paused_by` of the answer does.
 *
 * @param pause null if inserting is not paused
 */
export function pauseMessage(pause: InsertingPause | null): string {
  if (pause === null) return 'Inserting is running.';
  return `Inserting was paused at ${pause.since.toISOString()}: ${pause.reason}`;
}
