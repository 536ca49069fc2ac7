/** Single-flight cache: concurrent callers share one request, and its answer is cached for some time. */

interface SingleFlightCache<T> {
  /** Returns the cached answer, or joins the request that is in flight. */
  get(): Promise<T>;
  /** Drops the cached answer: the next call asks again. */
  invalidate(): void;
}

/**
 * @param ttlMs lifetime of an answer, counted from the start of its request. A failure goes to all waiting callers
 *   and is not cached
 */
export function createSingleFlightCache<T>(
  ask: () => Promise<T>,
  ttlMs: (answer: T) => number,
): SingleFlightCache<T> {
  let last: { answer: Promise<T>; until: number } | undefined;
  return {
    get() {
      if (last && performance.now() < last.until) return last.answer;
      const askedAt = performance.now();
      const asked = { answer: ask(), until: Number.POSITIVE_INFINITY };
      last = asked;
      asked.answer.then(
        (answer) => {
          asked.until = askedAt + ttlMs(answer);
        },
        () => {
          if (last === asked) last = undefined;
        },
      );
      return asked.answer;
    },
    invalidate() {
      last = undefined;
    },
  };
}
