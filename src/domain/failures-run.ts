import type { FailureFilter } from '../contract/failures.ts';
import type { ImportAction } from '../contract/statuses.ts';
import type { FailuresRun } from '../contract/types.ts';

/** Input of a run over the failed products of many imports: retries, or cancellations of imports under way. */
export interface FailuresRunInput {
  action: ImportAction;
  /** Imports of the tenant or the client; all if both are absent. */
  owner: { tenant?: string | undefined; clientId?: string | undefined };
  filter: FailureFilter;
  /** Client for which the retries are recorded. */
  clientId: string;
  /** Actor of the request, without a name. */
  actor: string;
  /** Set when the run continues as a new one. */
  done?: FailuresDone;
}

/** Progress of a run over failures, up to the import `after`. */
export interface FailuresDone {
  after: number;
  imports: number;
  products: number;
}

/** Result of a run over failures for one import. */
export interface FailuresAction {
  importId: number;
  /** Products of a cancelled import that are not inserted. */
  cancelled: number;
  /** Null without products to retry. `isOurs` is false for the retry of another request. */
  retry: { retryUuid: string; isOurs: boolean } | null;
}

/** Memo of a run over failures, for the gateway and the Web UI. */
export type FailuresRunMemo = Omit<FailuresRun, 'status' | 'ended_at'>;
