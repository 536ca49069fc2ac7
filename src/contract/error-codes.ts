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
    meaning: 'a parameter, the body or a part of the form is not as described',
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
    meaning: 'the code is wrong or outdated, or no login waits for one',
  },
  webhooks_disabled: {
    status: 400,
    meaning: 'this service sends no webhooks: ask for the import instead',
  },
  webhook_url_refused: {
    status: 400,
    meaning: 'messages may not go to this URL; the message says why',
  },
  missing_token: {
    status: 401,
    meaning: 'there is no access token',
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
    meaning: 'nothing has this address',
  },
  not_found: {
    status: 404,
    meaning: 'there is no such record, or not for this client',
  },
  nothing_to_repair: {
    status: 404,
    meaning: 'nothing of the import has failed',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'the address does not know the method',
  },
  request_timeout: {
    status: 408,
    meaning: 'the headers or the body did not arrive in time',
  },
  action_not_available: {
    status: 409,
    meaning: 'the submission, or the import, does not offer the action now',
  },
  already_queued: {
    status: 409,
    meaning:
      'the product is queued or running already, `data.data.job_id` says as what: run it again when that has ended',
  },
  import_under_way: {
    status: 409,
    meaning: 'the package is still being read: ask again',
  },
  webhook_missing: {
    status: 409,
    meaning: 'the client has no webhook, and so no secret that messages would be signed with',
  },
  package_unreadable: {
    status: 409,
    meaning: 'the package of the import could not be read, so that nothing of it can be repaired',
  },
  package_removed: {
    status: 410,
    meaning: 'the package is not kept any more: export it again',
  },
  session_required: {
    status: 412,
    meaning:
      'somebody has to log in with the regulator; `regulator_session_message` says why, `regulator_session_status` (`none`, `awaiting_verification_code`, `expired`) the same for programs',
  },
  file_too_large: {
    status: 413,
    meaning: 'the ZIP file is larger than this service takes: send several',
  },
  body_too_large: {
    status: 413,
    meaning: 'the body is larger than its route takes',
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'the key was used for something else, the import `id`: take a new one',
  },
  too_many_requests: {
    status: 429,
    meaning: 'wait for as long as `Retry-After` says',
  },
  invalid_package: {
    status: 500,
    meaning: 'the package cannot be read, and would not be if it were sent again',
  },
  import_cancelled: {
    status: 500,
    meaning: 'the import was cancelled before it was queued',
  },
  import_failed: {
    status: 500,
    meaning: 'the import ended without a result, for another reason',
  },
  outcome_unknown: {
    status: 500,
    meaning: 'the import `id` was stored and goes on; its result has to be asked for',
  },
  temporarily_unavailable: {
    status: 500,
    meaning: 'something that the service stands on does not answer: try again',
  },
  internal: {
    status: 500,
    meaning: 'a fault of the service: quote the request id',
  },
  regulator_login_refused: {
    status: 502,
    meaning: 'the regulator refused the user name or the password of the service',
  },
  regulator_unavailable: {
    status: 502,
    meaning: 'the regulator cannot be reached, or asks for a pause: try again',
  },
  overloaded: {
    status: 503,
    meaning: 'this process has as much to do as it may: try again after `Retry-After`',
  },
  storage_full: {
    status: 503,
    meaning: 'there is no room left for packages or records: send it again after `Retry-After`',
  },
  processing_unavailable: {
    status: 503,
    meaning: 'no worker, or no Temporal, would process a package now: send it again after `Retry-After`',
  },
  not_started: {
    status: 503,
    meaning: 'the run could not be started: try again',
  },
  not_ready: {
    status: 503,
    meaning: 'the gateway does not reach what it stands on; `checks` says what',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

export type ErrorCode = keyof typeof ENTRIES;
export type ErrorStatus = (typeof ENTRIES)[ErrorCode]['status'];

export const ERROR_CODES = Object.keys(ENTRIES) as [ErrorCode, ...ErrorCode[]];

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
