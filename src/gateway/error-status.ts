/** The HTTP status of every error: the one table that decides it. */
import type { ErrorCode } from '../domain/error-codes.ts';

export type HttpStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 410
  | 412
  | 413
  | 422
  | 429
  | 500
  | 502
  | 503;

/** A package that cannot be read is a 500 because the interface says so, not because it is a fault of ours. */
export const STATUS_OF = {
  invalid_request: 400,
  no_file: 400,
  not_a_zip: 400,
  wrong_verification_code: 400,
  webhooks_disabled: 400,
  webhook_url_refused: 400,
  missing_token: 401,
  invalid_token: 401,
  missing_permission: 403,
  unknown_path: 404,
  not_found: 404,
  nothing_to_repair: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  action_not_available: 409,
  already_queued: 409,
  import_under_way: 409,
  webhook_missing: 409,
  package_unreadable: 409,
  package_removed: 410,
  session_required: 412,
  file_too_large: 413,
  body_too_large: 413,
  idempotency_key_reused: 422,
  too_many_requests: 429,
  invalid_package: 500,
  import_cancelled: 500,
  import_failed: 500,
  outcome_unknown: 500,
  temporarily_unavailable: 500,
  internal: 500,
  regulator_login_refused: 502,
  regulator_unavailable: 502,
  overloaded: 503,
  storage_full: 503,
  processing_unavailable: 503,
  not_started: 503,
  not_ready: 503,
} as const satisfies Record<ErrorCode, HttpStatus>;
