/** Retries with growing pauses. */

export interface RetryPolicy {
  /** Number of attempts, including the first. */
  attempts: number;
  /** Pause before the second attempt. It doubles with each attempt. */
  firstPauseMs: number;
  longestPauseMs: number;
}

/** A failed attempt that will be repeated. */
export interface Retry {
  error: unknown;
  pauseMs: number;
  /** Number of the next attempt. */
  next: number;
  attempts: number;
}

export interface RetryOptions extends RetryPolicy {
  isWorthRetrying(error: unknown): boolean;
  onRetry?: ((retry: Retry) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** By default `pause`. */
  wait?: typeof pause;
}

/** A longer Retry-After is not waited for: the caller gets the error. */
const LONGEST_RETRY_AFTER_S = 600;
/** Spreads the retries of clients that failed at the same time. */
const JITTER = 0.2;

/** @param attempt gets its number, from 1 */
export async function retrying<T>(attempt: (tried: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { attempts, isWorthRetrying, onRetry, signal, wait = pause } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(tried);
    } catch (error) {
      signal?.throwIfAborted();
      const isLast = tried >= attempts || askedFor(error) > LONGEST_RETRY_AFTER_S;
      if (isLast || !isWorthRetrying(error)) throw error;
      const pauseMs = pauseAfter(error, tried, options);
      onRetry?.({ error, pauseMs, next: tried + 1, attempts });
      await wait(pauseMs, signal);
    }
  }
}

/** @throws the reason of an aborted signal */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Milliseconds to wait after a failure. At least as long as the service asks for. */
export function pauseAfter(
  error: unknown,
  tried: number,
  { firstPauseMs, longestPauseMs }: Omit<RetryPolicy, 'attempts'>,
): number {
  const grown = Math.min(firstPauseMs * 2 ** (tried - 1), longestPauseMs);
  const jittered = grown * (1 + JITTER * (2 * Math.random() - 1));
  return Math.max(jittered, askedFor(error) * 1000);
}

/** Seconds. The errors of client and page have them from the header `Retry-After`. */
function askedFor(error: unknown): number {
  return (error as { retryAfterSeconds?: number | null } | null)?.retryAfterSeconds ?? 0;
}
