/** Trying again, with pauses that grow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from './errors.ts';

export interface RetryPolicy {
  /** The first try included. */
  tries: number;
  /** Before the second try; doubles with each. */
  firstPauseMs: number;
  longestPauseMs: number;
}

/** A try that failed and will be repeated. */
export interface Retry {
  error: unknown;
  pauseMs: number;
  /** Number of the try to come. */
  next: number;
  tries: number;
}

export interface RetryOptions extends RetryPolicy {
  isWorthRetrying(error: unknown): boolean;
  onRetry?: ((retry: Retry) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Who is told to wait longer than this is told to come back another time. */
const LONGEST_RETRY_AFTER_S = 600;
/** Clients that failed together should not come back together. */
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
