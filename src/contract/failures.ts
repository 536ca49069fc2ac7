/**
 * The reason why the insert of a product failed, as a code, and what helps. Codes are only added. A superseded submission
 * has no code, because it cannot be retried.
 */
export const FAILURES = {
  regulator_rejected:
    'Correct the products and upload them again. Retry products that were rejected by mistake.',
  file_missing: 'Restore the archive storage, then retry. Or upload the package again.',
  cancelled: 'Retry what should be inserted after all.',
  run_lost: 'Retry. An operator ended the run, or Temporal lost it.',
  not_queued: 'Retry. A conflicting insert was running, or the import was cancelled.',
  internal_error: 'Retry. If it fails again, tell the operators.',
} as const;

export type FailureCode = keyof typeof FAILURES;
export const FAILURE_CODES = Object.keys(FAILURES) as [FailureCode, ...FailureCode[]];

/** Narrows failures, in the form that the gateway, workflows and statements share. */
export interface FailureFilter {
  /** ISO 8601. */
  failedSince?: string | undefined;
  submitterId?: string | undefined;
  /** Any of these `reason_code:step`; an empty part means all. */
  groups?: readonly string[] | undefined;
}

/** Failed products that one request looks at, of the newest imports. */
export const FAILURES_SCAN_LIMIT = 20_000;
