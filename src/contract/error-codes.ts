/**
 * Error codes: `data.code` of an answer, and the label of a metric. There is one code for each error that a program would
 * handle differently. A code is never renamed or given another meaning. New codes may be added.
 */
interface ErrorCodeEntry {
  /** The HTTP status of the answer. */
  status: number;
  /** For the description of the API and docs/error-codes.md. */
  meaning: string;
}

/** `invalid_package` is a 500 because the interface says so, not because it is a fault of the service. */
const ENTRIES = {
  invalid_request: {
    status: 400,
    meaning: 'a parameter, the body or a part of the form is invalid: the message says how',
  },
  no_file: {
    status: 400,
    meaning: 'the upload has no part `file`',
  },
  not_a_zip: {
    status: 400,
    meaning: 'the name of the file does not end in .zip',
  },
  wrong_verification_code: {
    status: 400,
    meaning: 'the code is wrong or has expired, or no login waits for a code',
  },
  webhooks_disabled: {
    status: 400,
    meaning: 'webhooks are turned off in this service: poll the import instead',
  },
  webhook_url_refused: {
    status: 400,
    meaning: 'webhooks may not be sent to this URL: the message says why',
  },
  missing_token: {
    status: 401,
    meaning: 'the access token is missing',
  },
  invalid_token: {
    status: 401,
    meaning: 'the access token is not accepted: fetch a new one',
  },
  missing_permission: {
    status: 403,
    meaning: 'the access token lacks the permission that the route needs',
  },
  unknown_path: {
    status: 404,
    meaning: 'no route has this path',
  },
  not_found: {
    status: 404,
    meaning: 'the record does not exist, or belongs to another client',
  },
  nothing_to_repair: {
    status: 404,
    meaning: 'no product of the import has failed',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'the path does not support this method',
  },
  request_timeout: {
    status: 408,
    meaning: 'the headers or the body did not arrive in time',
  },
  action_not_available: {
    status: 409,
    meaning: 'the submission or import does not offer this action now: `actions` lists those that it offers',
  },
  already_queued: {
    status: 409,
    meaning:
      'the product is already queued or running as `data.data.job_id`: retry when that insert has ended',
  },
  import_under_way: {
    status: 409,
    meaning: 'the package is still being read: try again later',
  },
  webhook_missing: {
    status: 409,
    meaning: 'the client has no webhook, so there is no secret to sign messages with: register a webhook',
  },
  package_unreadable: {
    status: 409,
    meaning:
      'the package could not be read as a whole, so there is no repair pack: correct it and upload it again',
  },
  package_removed: {
    status: 410,
    meaning: 'retention has removed the package: export it again',
  },
  session_required: {
    status: 412,
    meaning:
      'there is no active regulator session: log in with the regulator first; `regulator_session_message` has the reason, `regulator_session_status` (`none`, `awaiting_verification_code`, `expired`) has it for programs',
  },
  file_too_large: {
    status: 413,
    meaning: 'the ZIP file is too large: split it into several packages',
  },
  body_too_large: {
    status: 413,
    meaning: 'the body is larger than its route accepts',
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'the key was used for another request, which created the import `id`: use a new key',
  },
  too_many_requests: {
    status: 429,
    meaning: 'a quota of the client is exceeded: retry after `Retry-After` seconds',
  },
  invalid_package: {
    status: 500,
    meaning: 'the package cannot be read: correct it, because a retry fails in the same way',
  },
  import_cancelled: {
    status: 500,
    meaning:
      'the import was cancelled before all its products were queued: the import `id` shows what has become of them',
  },
  import_failed: {
    status: 500,
    meaning:
      'the import ended without a result, and not because of its package: send the package again, also under the same `Idempotency-Key`',
  },
  outcome_unknown: {
    status: 500,
    meaning:
      'the import `id` is stored and continues, but the request could not wait for it: get its result with GET',
  },
  temporarily_unavailable: {
    status: 500,
    meaning: 'a dependency of the service does not answer: try again',
  },
  internal: {
    status: 500,
    meaning: 'an internal error of the service: report it with the request id',
  },
  regulator_login_refused: {
    status: 502,
    meaning: 'the regulator refused the user name or the password of the service',
  },
  regulator_unavailable: {
    status: 502,
    meaning: 'the regulator cannot be reached, or limits the rate of calls: try again',
  },
  overloaded: {
    status: 503,
    meaning: 'this process has reached its limit of concurrent work: retry after `Retry-After` seconds',
  },
  storage_full: {
    status: 503,
    meaning: 'the storage for packages or records is full: retry after `Retry-After` seconds',
  },
  processing_unavailable: {
    status: 503,
    meaning:
      'Temporal or a worker is unavailable, so no package can be processed: retry after `Retry-After` seconds',
  },
  not_started: {
    status: 503,
    meaning: 'the insert could not be started: try again',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ENTRIES;
export type ErrorStatus = (typeof ENTRIES)[ErrorCode]['status'];

export const ERROR_CODES = Object.keys(ENTRIES) as [ErrorCode, ...ErrorCode[]];

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
  return ENTRIES[code].status;
}

export function meaningOf(code: ErrorCode): string {
  return ENTRIES[code].meaning;
}

/** Whether this version knows the code. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ENTRIES, value);
}
