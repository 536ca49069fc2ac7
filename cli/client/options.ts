/** The options of the client library. */

import type { Retry, RetryPolicy } from '../../src/common/retrying.ts';
import type { ImportListQuery, ImportSummary } from '../../src/contract/types.ts';
import type { TokenOptions } from './access-tokens.ts';

export interface ClientOptions extends TokenOptions {
  /** Base URL of the gateway. */
  gatewayUrl: string;
  /** Names the program in the gateway's log. */
  userAgent?: string | undefined;
  /** Retries of failed uploads, and of requests that exceeded a rate limit. */
  retries?: RetryPolicy | undefined;
  /** Called before each further try. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Aborts every operation; its reason is thrown. */
  signal?: AbortSignal | undefined;
}

export interface FollowOptions {
  /** Called for every answer. It gets the same summary again if nothing has changed. */
  onSummary?: ((summary: ImportSummary) => void) | undefined;
  /** Called when a request to the gateway failed. */
  onRetry?: ((retry: Retry) => void) | undefined;
  firstPauseMs?: number;
}

/** The parameters of a list. */
export type ImportQuery = Omit<ImportListQuery, 'has_failures'> & { has_failures?: boolean | undefined };
