/**
 * What reading packages may hold in memory at a time, over a whole process: packages that would take more wait for
 * others to end (decision §reading-has-a-budget).
 *
 * Not a semaphore of a library: async-mutex alone has weights, and a waiter that has gone cannot leave its queue, where
 * it would hold up everybody behind it.
 */

export interface ReadingBudget {
  /**
   * Waits for its turn; those that wait get it in order of arrival. What is larger than the whole budget gets all of
   * it, alone.
   *
   * @returns gives the memory back; a second call does nothing
   * @throws the signal's reason when that aborts first
   */
  reserve(bytes: number, signal?: AbortSignal): Promise<Release>;
}

export type Release = () => void;

/**
 * Directories and contents have a budget each: who holds a directory may wait for contents, but never the other way
 * round, so that nobody waits for himself.
 */
export interface ReadingBudgets {
  directories: ReadingBudget;
  contents: ReadingBudget;
}

/** @param bytes of directories, and of contents: each as much */
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
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      free += bytes;
      admitNext();
    };
  }
}
