/**
 * Every code by which programs tell errors apart: `data.code` of an answer, the label of a metric. One for each
 * thing that a program would do differently. Codes are never renamed or given another meaning; new ones may come.
 */
const MEANINGS = {
  invalid_request: 'a parameter, the body or a part of the form is not as described',
  no_file: 'the upload has no part `file`',
  not_a_zip: 'the name of the file does not end in .zip',
  wrong_verification_code: 'the code is wrong or outdated, or no login waits for one',
  webhooks_disabled: 'this service sends no webhooks: ask for the import instead',
  webhook_url_refused: 'messages may not go to this URL; the message says why',
  missing_token: 'there is no access token',
  invalid_token: 'the access token is not accepted: fetch a new one',
  missing_permission: 'the access token lacks the permission that the route needs',
  unknown_path: 'nothing has this address',
  not_found: 'there is no such record, or not for this client',
  nothing_to_repair: 'nothing of the import has failed',
  method_not_allowed: 'the address does not know the method',
  request_timeout: 'the headers or the body did not arrive in time',
  action_not_available: 'the submission, or the import, does not offer the action now',
  already_queued:
    'the product is queued or running already, `data.data.job_id` says as what: run it again when that has ended',
  import_under_way: 'the package is still being read: ask again',
  webhook_missing: 'the client has no webhook, and so no secret that messages would be signed with',
  package_unreadable: 'the package of the import could not be read, so that nothing of it can be repaired',
  package_removed: 'the package is not kept any more: export it again',
  session_required:
    'somebody has to log in with the regulator; `regulator_session_message` says why, `regulator_session_status` (`none`, `awaiting_verification_code`, `expired`) the same for programs',
  file_too_large: 'the ZIP file is larger than this service takes: send several',
  body_too_large: 'the body is larger than its route takes',
  idempotency_key_reused: 'the key was used for something else, the import `id`: take a new one',
  too_many_requests: 'wait for as long as `Retry-After` says',
  invalid_package: 'the package cannot be read, and would not be if it were sent again',
  import_cancelled: 'the import was cancelled before it was queued',
  import_failed: 'the import ended without a result, for another reason',
  outcome_unknown: 'the import `id` was stored and goes on; its result has to be asked for',
  temporarily_unavailable: 'something that the service stands on does not answer: try again',
  internal: 'a fault of the service: quote the request id',
  regulator_login_refused: 'the regulator refused the user name or the password of the service',
  regulator_unavailable: 'the regulator cannot be reached, or asks for a pause: try again',
  overloaded: 'this process has as much to do as it may: try again after `Retry-After`',
  storage_full: 'there is no room left for packages or records: send it again after `Retry-After`',
  processing_unavailable:
    'no worker, or no Temporal, would process a package now: send it again after `Retry-After`',
  not_started: 'the run could not be started: try again',
  not_ready: 'the gateway does not reach what it stands on; `checks` says what',
} as const;

export type ErrorCode = keyof typeof MEANINGS;

export const ERROR_CODES = Object.keys(MEANINGS) as [ErrorCode, ...ErrorCode[]];

/** What a code means to a program that gets it. */
export function meaningOf(code: ErrorCode): string {
  return MEANINGS[code];
}

/** Whether a value is a code that this version knows. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(MEANINGS, value);
}
