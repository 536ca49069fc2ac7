/** Errors with an HTTP status: the only ones whose message a client gets to see as it is. */
export class HttpError extends Error {
  readonly status: number;
  readonly data: Record<string, unknown> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    extra: { data?: Record<string, unknown>; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause });
    this.status = status;
    this.data = extra.data;
    this.headers = extra.headers ?? {};
  }
}

const REALM = 'submissions-tool';

/** RFC 6750 §3: without credentials the challenge carries no error code. */
export function missingToken(): HttpError {
  return new HttpError(401, 'The Authorization header with a bearer access token is missing.', {
    headers: { 'WWW-Authenticate': `Bearer realm="${REALM}"` },
  });
}

/** @param description shown to the client: says what is wrong with the token, never what it holds */
export function invalidToken(description: string, cause?: unknown): HttpError {
  return new HttpError(401, `The access token is invalid: ${description}.`, {
    headers: {
      'WWW-Authenticate': `Bearer realm="${REALM}", error="invalid_token", error_description="${description}"`,
    },
    cause,
  });
}

export function missingPermission(permission: string): HttpError {
  return new HttpError(403, `The access token lacks the permission ${permission}.`, {
    headers: {
      'WWW-Authenticate': `Bearer realm="${REALM}", error="insufficient_scope", scope="${permission}"`,
    },
  });
}

export function badRequest(message: string): HttpError {
  return new HttpError(400, message);
}

export function tooLarge(maxBytes: number): HttpError {
  return new HttpError(413, `The ZIP file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB.`);
}

/** RFC 6585 §4. */
export function tooManyRequests(perMinute: number, retryAfterSeconds: number): HttpError {
  return new HttpError(429, `A client may send ${perMinute} requests per minute. Try again later.`, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

/** Interface §7, HTTP 412. */
export function sessionRequired(sessionMessage: string): HttpError {
  return new HttpError(412, 'An active regulator session is required before the package ZIP import.', {
    data: { regulator_session_message: sessionMessage },
  });
}
