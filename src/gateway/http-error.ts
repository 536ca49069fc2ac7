/** Errors as answers. Only the message of an `HttpError` reaches the client as it is. */

import { aboutError, type ErrorCode, type ErrorStatus } from '../contract/error-codes.ts';
import { wholeMb } from '../contract/schemas/upload.ts';
import type { SessionStatus } from '../contract/statuses.ts';

interface Extra {
  /** Further fields of the envelope's `data`, beside the code. */
  data?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** For the log. The client does not see it. */
  cause?: unknown;
}

/** `Retry-After` of an error by its code, in seconds. */
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = {
  overloaded: 5,
  processing_unavailable: 15,
  // People or retention free space.
  storage_full: 60,
};

export class HttpError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  /** @param message by default the one that the contract shows as an example */
  constructor(
    code: ErrorCode,
    message: string = aboutError(code).message,
    { data = {}, headers = {}, cause }: Extra = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.data = data;
    const retryAfterS = RETRY_AFTER_S[code];
    this.headers = { ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }), ...headers };
  }

  get status(): ErrorStatus {
    return aboutError(this.code).status;
  }
}

const REALM = 'submissions-tool';

/** RFC 6750 §3: without credentials the challenge has no error code. */
export function missingToken(): HttpError {
  return new HttpError('missing_token', undefined, {
    headers: { 'WWW-Authenticate': `Bearer realm="${REALM}"` },
  });
}

/** @param description shown to the client: names the fault of the token, never its content */
export function invalidToken(description: string, cause?: unknown): HttpError {
  return new HttpError('invalid_token', `The access token is invalid: ${description}.`, {
    headers: {
      'WWW-Authenticate': `Bearer realm="${REALM}", error="invalid_token", error_description="${description}"`,
    },
    cause,
  });
}

export function missingPermission(permission: string): HttpError {
  return new HttpError('missing_permission', `The access token lacks the permission ${permission}.`, {
    headers: {
      'WWW-Authenticate': `Bearer realm="${REALM}", error="insufficient_scope", scope="${permission}"`,
    },
  });
}

export function badRequest(message: string): HttpError {
  return new HttpError('invalid_request', message);
}

export function tooLarge(maxBytes: number): HttpError {
  return new HttpError(
    'file_too_large',
    `The ZIP file is larger than ${wholeMb(maxBytes)} MB. Split it into several packages.`,
  );
}

/**
 * Interface §7, HTTP 412.
 *
 * @param status if the caller knows it
 * @param before the end of the message: what needs the session
 */
export function sessionRequired(
  sessionMessage: string,
  status?: SessionStatus,
  before = 'the package ZIP import',
): HttpError {
  return new HttpError('session_required', `An active regulator session is required before ${before}.`, {
    data: {
      regulator_session_message: sessionMessage,
      ...(status !== undefined && { regulator_session_status: status }),
    },
  });
}
