/**
 * Error codes: `data.code` of an answer, and the label of a metric. There is one code for each error that a program would
 * handle differently. A code is never renamed or given another meaning. New codes may be added.
 *
 * The table is by HTTP status. The description of the API, docs/error-codes.md and the page that `data.doc_url` leads
 * to are made from it. `invalid_package` is a 500 because the interface says so, not because it is a fault of the
 * service.
 */

/** Whether the same request may be sent again. */
export const REPEATS = {
  never: 'No. The same request fails again.',
  fixed: 'Yes, once the cause is removed. Before that, the same request fails again.',
  later:
    'Yes, later: after the seconds in the header `Retry-After` if there is one, else after a pause that grows with each attempt.',
} as const;

/** Texts in sentences; code is in backticks. */
export interface ErrorText {
  meaning: string;
  action: string;
  repeat: keyof typeof REPEATS;
  /** Message of the example answer, and the fields beside the code in its `data`. */
  message: string;
  data?: Readonly<Record<string, unknown>>;
}

export const ERROR_TEXTS = {
  400: {
    invalid_request: {
      meaning: 'A parameter, the body or a part of the form is invalid.',
      action: 'Correct what the message names.',
      repeat: 'never',
      message: 'The query is invalid: limit: must be at least 1.',
    },
    no_file: {
      meaning: 'The upload has no part `file` with a file name.',
      action:
        'Send the ZIP in the multipart part `file`. With `mends`, send the corrected product XML in it instead.',
      repeat: 'never',
      message:
        'No file was sent. Send the ZIP in the multipart part "file", with its file name. With mends, send the corrected XML instead.',
    },
    not_a_zip: {
      meaning: 'The name of the file does not end in .zip.',
      action: 'Send the export as a ZIP whose name ends in .zip.',
      repeat: 'never',
      message: 'The file must have the extension .zip; it is named "package.rar".',
    },
    wrong_verification_code: {
      meaning: 'The code is wrong or has expired, or no login waits for a code.',
      action: 'Enter the code of the latest mail. After the fifth wrong code, log in again.',
      repeat: 'never',
      message:
        'The verification code is wrong or has expired. Enter the latest code, or log in again. 4 attempts left.',
    },
    webhooks_disabled: {
      meaning: 'Webhooks are turned off in this service.',
      action: 'Poll the import instead, or ask the operators to allow a host in `WEBHOOK_HOSTS`.',
      repeat: 'fixed',
      message: 'Webhooks are turned off in this service: its operators allow no hosts (WEBHOOK_HOSTS).',
    },
    webhook_url_refused: {
      meaning: 'Webhooks may not be sent to this URL.',
      action: 'Use a URL without the fault that the message names, or ask the operators to allow its host.',
      repeat: 'fixed',
      message: "The webhook's URL has the host elsewhere.example, which the operators do not allow.",
    },
  },
  401: {
    missing_token: {
      meaning: 'The access token is missing.',
      action: 'Fetch a token from the identity service. Send it as `Authorization: Bearer <token>`.',
      repeat: 'never',
      message: 'The Authorization header with the bearer access token is missing.',
    },
    invalid_token: {
      meaning:
        'The access token is not accepted. It may have expired, or come from another identity service.',
      action:
        'Fetch a new token, and send the request with it. If that fails too, compare issuer and audience with those of the service.',
      repeat: 'never',
      message: 'The access token is invalid: it is not a JSON Web Token.',
    },
  },
  403: {
    missing_permission: {
      meaning: 'The access token lacks the permission that the route needs.',
      action:
        'Have the identity service grant the permission that the message names. Then fetch a new token.',
      repeat: 'fixed',
      message: 'The access token lacks the permission submissions-tool.regulator-session.manage.',
    },
  },
  404: {
    unknown_path: {
      meaning: 'No route has this path.',
      action:
        'Compare the path with the description of the API at `/api/doc`, and the address with the base path of the service.',
      repeat: 'never',
      message: 'No route has the path /regulator/package-imprt.',
    },
    not_found: {
      meaning: 'The record does not exist, or belongs to another client.',
      action: 'Check the identifier, and whether the token is that of the client that uploaded the import.',
      repeat: 'never',
      message: 'Package import 999999 not found.',
    },
    nothing_to_repair: {
      meaning:
        'No product of the import has failed, or not the product file that the request names. Or a newer submission of the product has been queued.',
      action:
        'Compare the name of the file with the failed files of the import. Otherwise there is nothing to repair.',
      repeat: 'never',
      message:
        'Package import 1 has no failed product file, or newer submissions of its products have been queued.',
      data: { id: 1 },
    },
  },
  405: {
    method_not_allowed: {
      meaning: 'The path does not support this method (405), or HTTP does not know it (501).',
      action: 'Use a method that the header `Allow` lists. A 501 has no such header.',
      repeat: 'never',
      message: 'This path does not support the method. The header Allow lists its methods.',
    },
  },
  408: {
    request_timeout: {
      meaning: 'The headers or the body did not arrive in time.',
      action: 'Send the request again over a connection that does not stall.',
      repeat: 'later',
      message: 'The body did not arrive within 30 s.',
    },
  },
  409: {
    action_not_available: {
      meaning: 'The submission or import does not offer this action now.',
      action: 'Read it again: `actions` lists what it offers.',
      repeat: 'fixed',
      message: 'cancel cannot be run on package import 1: it is completed.',
      data: { id: 1 },
    },
    already_queued: {
      meaning: 'The product is already queued or running as `data.data.job_id`.',
      action: 'Wait for the end of that insert. Repeat the request if the insert failed.',
      repeat: 'later',
      message:
        'The product is already queued or running (regulator-insert 01998d2c-6f00-7000-8000-000000000011). Retry when that insert has ended.',
      data: {
        submission_id: 2,
        ok: false,
        status: 409,
        data: { job_id: '01998d2c-6f00-7000-8000-000000000011', job_state: 'active' },
      },
    },
    import_under_way: {
      meaning: 'The package is still being read.',
      action: 'Wait until the import is no longer `extracting`.',
      repeat: 'later',
      message: 'Package import 1 is still being read. Try again later.',
      data: { id: 1 },
    },
    webhook_missing: {
      meaning: 'The client has no webhook with a URL and a secret to sign messages with.',
      action: 'Register a webhook with `PUT /regulator/webhook`.',
      repeat: 'fixed',
      message:
        'This client has no webhook with a URL and a secret to sign messages with. Register one with PUT /regulator/webhook.',
    },
    package_unreadable: {
      meaning: 'The package could not be read as a whole, so there is no repair pack.',
      action: 'Correct the package as the message says, and upload it again.',
      repeat: 'never',
      message:
        'The package of import 2 could not be read. Invalid submission ZIP: expected a directory named "export" in the root directory "root" (found "readme.txt")',
      data: { id: 2 },
    },
  },
  410: {
    package_removed: {
      meaning: 'Retention has removed the package.',
      action: 'Export the package again, or take it from your own archive.',
      repeat: 'never',
      message: 'The package of import 1 was removed on 2026-01-31. Export it again.',
      data: { id: 1 },
    },
  },
  412: {
    session_required: {
      meaning:
        'There is no active regulator session. `regulator_session_message` has the reason as a text, `regulator_session_status` as a code (`none`, `awaiting_verification_code`, `expired`).',
      action: 'Log in with the regulator, and enter the mailed code.',
      repeat: 'fixed',
      message: 'An active regulator session is required before the package ZIP import.',
      data: {
        regulator_session_message: 'No regulator session stored. Log in with POST /regulator/session.',
        regulator_session_status: 'none',
      },
    },
  },
  413: {
    file_too_large: {
      meaning: 'The ZIP file is too large.',
      action: 'Export the products in several packages, and upload one after the other.',
      repeat: 'never',
      message: 'The ZIP file is larger than 2048 MB. Split it into several packages.',
    },
    body_too_large: {
      meaning: 'The body is larger than its route accepts.',
      action: 'Send a smaller body.',
      repeat: 'never',
      message: 'The JSON body is larger than 64kb.',
    },
  },
  416: {
    range_not_satisfiable: {
      meaning: 'The header `Range` begins behind the end of the file.',
      action:
        'Ask for a part of the file: `Content-Range` has its size. Without `Range` the answer is the whole file.',
      repeat: 'never',
      message: 'The file has 2077 bytes. The requested range begins behind them.',
    },
  },
  422: {
    idempotency_key_reused: {
      meaning: 'The key was used for another request, which created the import `id`.',
      action: 'Use a new key for a new import.',
      repeat: 'never',
      message:
        'This Idempotency-Key was used for another file, comment, e-mail address or webhook, or for an import instead of a dry run (import 1). Use a new key for a new import.',
      data: { id: 1 },
    },
  },
  429: {
    too_many_requests: {
      meaning: 'A quota of the client is exceeded.',
      action: 'Wait, and send fewer requests at a time.',
      repeat: 'later',
      message: 'The quota of 6000 requests per minute of this client is used up. Try again later.',
    },
  },
  500: {
    invalid_package: {
      meaning: 'The package cannot be read.',
      action: 'Correct the package as the message says. Then upload it under a new `Idempotency-Key`.',
      repeat: 'never',
      message:
        'Invalid submission ZIP: expected a directory named "export" in the root directory "root" (found "readme.txt")',
      data: { id: 2 },
    },
    import_cancelled: {
      meaning: 'The import was cancelled before all its products were queued.',
      action:
        'Read the import `id`: it shows the results of its products. Retry the import if they are to be inserted.',
      repeat: 'never',
      message: 'The import was cancelled.',
      data: { id: 1 },
    },
    import_failed: {
      meaning: 'The import failed for a reason that is not in its package.',
      action: 'Send the package again, with the same `Idempotency-Key` or a new one.',
      repeat: 'later',
      message: 'The package file is missing.',
      data: { id: 1 },
    },
    outcome_unknown: {
      meaning: 'The import `id` is stored and continues, but the request could not wait for it.',
      action:
        'Get its result with `GET /regulator/package-imports/{id}`. An upload is repeated only with its `Idempotency-Key`.',
      repeat: 'later',
      message:
        'The package was stored as import 1, but the request could not wait for its result. The import continues. Get its state with GET /regulator/package-imports/1.',
      data: { id: 1 },
    },
    temporarily_unavailable: {
      meaning: 'A dependency of the service does not answer.',
      action: 'Repeat an upload with the same `Idempotency-Key`, so that it is imported once.',
      repeat: 'later',
      message: 'The archive storage does not answer. Nothing was stored. Send the package again.',
    },
    internal: {
      meaning: 'The service has an internal error.',
      action: 'Report it with the request id in the message. Its cause is in the log of the service.',
      repeat: 'later',
      message: 'Internal error. Report it with the request id 01998d2c-6f00-7000-8000-000000000001.',
    },
  },
  502: {
    regulator_login_refused: {
      meaning: 'The regulator refused the user name or the password of the service.',
      action: 'Have the operators correct `REGULATOR_USERNAME` and `REGULATOR_PASSWORD`.',
      repeat: 'fixed',
      message: 'The regulator refused the login: check REGULATOR_USERNAME and REGULATOR_PASSWORD',
    },
    regulator_unavailable: {
      meaning: 'The regulator cannot be reached, or limits the rate of calls.',
      action: 'Wait. If it lasts, ask the regulator whether its system is available.',
      repeat: 'later',
      message: 'The regulator answered POST /session with 503: the service is not available',
    },
  },
  503: {
    overloaded: {
      meaning: 'This process has reached its limit of concurrent work.',
      action: 'Wait, and send fewer requests at a time.',
      repeat: 'later',
      message: 'The service has too many connections. Try again in a few seconds.',
    },
    storage_full: {
      meaning: 'The storage for packages or records is full.',
      action: 'Wait until operators or retention have made room.',
      repeat: 'later',
      message: 'The archive storage is full. Send the package again later.',
    },
    processing_unavailable: {
      meaning: 'Temporal or a worker is unavailable, so no package can be processed.',
      action: 'Wait. If it lasts, tell the operators.',
      repeat: 'later',
      message:
        'No package can be processed now: Temporal or a worker is unavailable. Send the package again later.',
    },
    not_started: {
      meaning: 'The insert could not be started.',
      action: 'Send the request again.',
      repeat: 'later',
      message: 'The regulator-insert task could not be started: the connection to Temporal failed.',
      data: { submission_id: 2, ok: false, status: 503, data: {} },
    },
  },
} as const satisfies Record<number, Record<string, ErrorText>>;
