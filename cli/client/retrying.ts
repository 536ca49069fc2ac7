/** Retries with growing pauses. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from './errors.ts';

export interface RetryPolicy {
  /** Number of tries, including the first. */
  tries: number;
  /** Pause before the second try. It doubles with each try. */
  firstPauseMs: number;
  longestPauseMs: number;
}

/** A failed try that will be repeated. */
export interface Retry {
  error: unknown;
  pauseMs: number;
  /** Number of the next try. */
  next: number;
  tries: number;
}

export interface RetryOptions extends RetryPolicy {
  isWorthRetrying(error: unknown): boolean;
  onRetry?: ((retry: Retry) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A longer Retry-After is not waited for: the caller gets the error. */
const LONGEST_RETRY_AFTER_S = 600;
/** Spreads the retries of clients that failed at the same time. */
const JITTER = 0.2;

export async function retrying<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { tries, isWorthRetrying, onRetry, signal } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (tried >= tries || !isWorthRetrying(error) || asksForTooMuch(error)) throw error;
      const pauseMs = pauseAfter(error, tried, options);
      onRetry?.({ error, pauseMs, next: tried + 1, tries });
      await pause(pauseMs, signal);
    }
  }
}

/** @throws the reason of an aborted signal */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function pauseAfter(error: unknown, tried: number, { firstPauseMs, longestPauseMs }: RetryPolicy): number {
  const grown = Math.min(firstPauseMs * 2 ** (tried - 1), longestPauseMs);
  const jittered = grown * (1 + JITTER * (2 * Math.random() - 1));
  return Math.max(jittered, askedFor(error) * 1000);
}

function askedFor(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0;
}

function asksForTooMuch(error: unknown): boolean {
  return askedFor(error) > LONGEST_RETRY_AFTER_S;
}
