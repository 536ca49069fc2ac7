/**
 * Error codes: `data.code` of an answer, and the label of a metric. There is one code for each error that a program would
 * handle differently. A code is never renamed or given another meaning. New codes may be added.
 *
 * The table has the HTTP status of the answer, the code, and its meaning for the description of the API and
 * docs/error-codes.md. `invalid_package` is a 500 because the interface says so, not because it is a fault of the service.
 */
const MEANINGS = {
  400: {
    invalid_request: 'a parameter, the body or a part of the form is invalid: the message says how',
    no_file: 'the upload has no part `file`',
    not_a_zip: 'the name of the file does not end in .zip',
    wrong_verification_code: 'the code is wrong or has expired, or no login waits for a code',
    webhooks_disabled: 'webhooks are turned off in this service: poll the import instead',
    webhook_url_refused: 'webhooks may not be sent to this URL: the message says why',
  },
  401: {
    missing_token: 'the access token is missing',
    invalid_token: 'the access token is not accepted: fetch a new one',
  },
  403: {
    missing_permission: 'the access token lacks the permission that the route needs',
  },
  404: {
    unknown_path: 'no route has this path',
    not_found: 'the record does not exist, or belongs to another client',
    nothing_to_repair: 'no product of the import has failed',
  },
  405: {
    method_not_allowed: 'the path does not support this method',
  },
  408: {
    request_timeout: 'the headers or the body did not arrive in time',
  },
  409: {
    action_not_available:
      'the submission or import does not offer this action now: `actions` lists those that it offers',
    already_queued:
      'the product is already queued or running as `data.data.job_id`: retry when that insert has ended',
    import_under_way: 'the package is still being read: try again later',
    webhook_missing:
      'the client has no webhook, so there is no secret to sign messages with, or the webhook has no URL: register it',
    package_unreadable:
      'the package could not be read as a whole, so there is no repair pack: correct it and upload it again',
  },
  410: {
    package_removed: 'retention has removed the package: export it again',
  },
  412: {
    session_required:
      'there is no active regulator session: log in with the regulator first. `regulator_session_message` has the reason as a text, `regulator_session_status` as a code (`none`, `awaiting_verification_code`, `expired`)',
  },
  413: {
    file_too_large: 'the ZIP file is too large: split it into several packages',
    body_too_large: 'the body is larger than its route accepts',
  },
  422: {
    idempotency_key_reused:
      'the key was used for another request, which created the import `id`: use a new key',
  },
  429: {
    too_many_requests: 'a quota of the client is exceeded: retry after `Retry-After` seconds',
  },
  500: {
    invalid_package: 'the package cannot be read: correct it, because a retry fails in the same way',
    import_cancelled:
      'the import was cancelled before all its products were queued: the import `id` shows their results',
    import_failed:
      'the import failed for a reason that is not in its package: send the package again, with the same `Idempotency-Key` or a new one',
    outcome_unknown:
      'the import `id` is stored and continues, but the request could not wait for it: get its result with GET',
    temporarily_unavailable: 'a dependency of the service does not answer: try again',
    internal: 'an internal error of the service: report it with the request id',
  },
  502: {
    regulator_login_refused: 'the regulator refused the user name or the password of the service',
    regulator_unavailable: 'the regulator cannot be reached, or limits the rate of calls: try again',
  },
  503: {
    overloaded: 'this process has reached its limit of concurrent work: retry after `Retry-After` seconds',
    storage_full: 'the storage for packages or records is full: retry after `Retry-After` seconds',
    processing_unavailable:
      'Temporal or a worker is unavailable, so no package can be processed: retry after `Retry-After` seconds',
    not_started: 'the insert could not be started: try again',
  },
} as const;

export type ErrorStatus = keyof typeof MEANINGS;
export type ErrorCode = { [Status in ErrorStatus]: keyof (typeof MEANINGS)[Status] }[ErrorStatus];

const ENTRIES = new Map(
  Object.entries(MEANINGS).flatMap(([status, meanings]) =>
    Object.entries(meanings).map(([code, meaning]) => [code, { status: Number(status), meaning }] as const),
  ),
);

export const ERROR_CODES = [...ENTRIES.keys()] as [ErrorCode, ...ErrorCode[]];

/** The codes with which an import or a dry run ends without a result. */
export const IMPORT_FAILURE_CODES = [
  'invalid_package',
  'import_cancelled',
  'import_failed',
  'storage_full',
] as const satisfies ErrorCode[];

export type ImportFailureCode = (typeof IMPORT_FAILURE_CODES)[number];

/** The HTTP status of an error. */
export function statusOf(code: ErrorCode): ErrorStatus {
  return ENTRIES.get(code)?.status as ErrorStatus;
}

export function meaningOf(code: ErrorCode): string {
  return ENTRIES.get(code)?.meaning ?? '';
}

/** Whether this version knows the code. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && ENTRIES.has(value);
}
