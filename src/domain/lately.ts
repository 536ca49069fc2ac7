/** The answer to a question that many ask at the same time, and may all be told as it was lately. */

export interface Lately<T> {
  /** Who asks while nobody knows waits for the same answer. */
  ask(): Promise<T>;
  /** The next one who asks is told anew. */
  forget(): void;
}

/**
 * @param believedMs for how long an answer is believed, counted from when it was asked for. A failure is told to all who wait
 *   for it, and not believed
 */
export function createLately<T>(ask: () => Promise<T>, believedMs: (answer: T) => number): Lately<T> {
  let last: { answer: Promise<T>; until: number } | undefined;
  return {
    ask() {
      if (last && performance.now() < last.until) return last.answer;
      const askedAt = performance.now();
      const asked = { answer: ask(), until: Number.POSITIVE_INFINITY };
      last = asked;
      asked.answer.then(
        (answer) => {
          asked.until = askedAt + believedMs(answer);
        },
        () => {
          if (last === asked) last = undefined;
        },
      );
      return asked.answer;
    },
    forget() {
      last = undefined;
    },
  };
}
