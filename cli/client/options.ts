/** The options of the client library. */
import type { ImportListQuery, ImportSummary } from '../../src/contract/types.ts';
import type { TokenOptions } from './access-tokens.ts';
import type { Retry, RetryPolicy } from './retrying.ts';

export interface ClientOptions extends TokenOptions {
  /** Base URL of the gateway. */
  gatewayUrl: string;
  /** Names the program in the gateway's log. */
  userAgent?: string | undefined;
  /** For uploads that did not get through, and for requests that came too fast. */
  retries?: RetryPolicy | undefined;
  /** Told before each further try. */
  onRetry?: ((retry: Retry) => void) | undefined;
  /** Ends whatever is under way; its reason is thrown. */
  signal?: AbortSignal | undefined;
}

export interface FollowOptions {
  /** Told of every answer; the same summary again when nothing has changed. */
  onSummary?: ((summary: ImportSummary) => void) | undefined;
  /** Told when the gateway could not be asked. */
  onRetry?: ((retry: Retry) => void) | undefined;
  firstPauseMs?: number;
}

/** The parameters of a list. */
export type ImportQuery = Omit<ImportListQuery, 'has_failures'> & { has_failures?: boolean | undefined };
