/**
 * Weighted semaphore: a budget of memory, or of places, for a whole process. A reader that exceeds the rest of the budget
 * waits until others end (decision §reading-has-a-budget).
 *
 * No library's semaphore fits. Only async-mutex has weights, and its waiters cannot leave the queue when they are
 * aborted, so they would block everybody behind them.
 */

export interface ReadingBudget {
  /**
   * Waits in order of arrival. A reservation larger than the whole budget gets all of it, alone.
   *
   * @throws the signal's reason when that aborts first
   */
  reserve(bytes: number, signal?: AbortSignal): Promise<Release>;
}

/** Gives the reservation back, except for `keep`, by default 0. A call that would keep more than is held does nothing. */
export type Release = (keep?: number) => void;

/**
 * Directories and contents have a budget each. A reader that holds a directory may wait for contents, but never the
 * other way round. This order prevents a deadlock.
 */
export interface ReadingBudgets {
  directories: ReadingBudget;
  contents: ReadingBudget;
}

/** @param bytes size of the budget for directories, and of the one for contents */
export function createReadingBudgets(bytes: number): ReadingBudgets {
  return { directories: createReadingBudget(bytes), contents: createReadingBudget(bytes) };
}

interface Waiting {
  bytes: number;
  admit(release: Release): void;
}

export function createReadingBudget(totalBytes: number): ReadingBudget {
  const waiting: Waiting[] = [];
  let free = totalBytes;

  return {
    reserve(wanted, signal) {
      const bytes = Math.min(wanted, totalBytes);
      const { promise, resolve, reject } = Promise.withResolvers<Release>();
      if (signal?.aborted) return Promise.reject(signal.reason);
      const leave = () => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal?.reason);
        admitNext();
      };
      const mine: Waiting = {
        bytes,
        admit(release) {
          signal?.removeEventListener('abort', leave);
          resolve(release);
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(mine);
      admitNext();
      return promise;
    },
  };

  function admitNext(): void {
    for (let [first] = waiting; first && first.bytes <= free; [first] = waiting) {
      waiting.shift();
      free -= first.bytes;
      first.admit(releaseOf(first.bytes));
    }
  }

  function releaseOf(bytes: number): Release {
    let held = bytes;
    return (keep = 0) => {
      if (keep >= held) return;
      free += held - keep;
      held = keep;
      admitNext();
    };
  }
}
