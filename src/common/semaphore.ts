/**
 * Weighted semaphore: bytes of memory, or places, for a whole process. A caller that asks for more than is free waits
 * until other callers release theirs (decision §reading-has-a-budget).
 *
 * No library's semaphore fits. Only async-mutex has weights, and its waiters cannot leave the queue when they are
 * aborted, so they would block everybody behind them.
 */

export interface Semaphore {
  /**
   * Waits in order of arrival. A reservation larger than the whole semaphore gets all of it, alone.
   *
   * @throws the signal's reason when that aborts first
   */
  reserve(amount: number, signal?: AbortSignal): Promise<Release>;
}

/** Gives the reservation back, except for `keep`, by default 0. A call that would keep more than is held does nothing. */
export type Release = (keep?: number) => void;

interface Waiting {
  amount: number;
  admit(release: Release): void;
}

export function createSemaphore(total: number): Semaphore {
  const waiting: Waiting[] = [];
  let free = total;

  return {
    reserve(wanted, signal) {
      const amount = Math.min(wanted, total);
      const { promise, resolve, reject } = Promise.withResolvers<Release>();
      if (signal?.aborted) return Promise.reject(signal.reason);
      const leave = () => {
        waiting.splice(waiting.indexOf(mine), 1);
        reject(signal?.reason);
        admitNext();
      };
      const mine: Waiting = {
        amount,
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
    for (let [first] = waiting; first && first.amount <= free; [first] = waiting) {
      waiting.shift();
      free -= first.amount;
      first.admit(releaseOf(first.amount));
    }
  }

  function releaseOf(amount: number): Release {
    let held = amount;
    return (keep = 0) => {
      if (keep >= held) return;
      free += held - keep;
      held = keep;
      admitNext();
    };
  }
}
