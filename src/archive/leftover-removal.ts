/** Removes partial files of killed processes, at intervals (decision §room-for-packages). */
import type { ArchiveStorage } from './storage.ts';

interface RemovalOptions {
  /** Milliseconds without a byte after which a file counts as abandoned. */
  idleMs: number;
  everyMs?: number;
  onRemoved(count: number): void;
  onError(error: unknown): void;
}

const MINUTE_MS = 60_000;
/** A complete file is synced before it is renamed, which takes time and writes no byte. */
const SYNC_MS = 3 * MINUTE_MS;

/**
 * Removes partial files within minutes: a client repeats its upload when its gateway is killed, and each partial package
 * takes room. A failed removal is repeated like a successful one.
 *
 * @returns stops the removal
 */
export function startRemovingLeftovers(
  storage: Pick<ArchiveStorage, 'sweep'>,
  { idleMs, everyMs = MINUTE_MS, onRemoved, onError }: RemovalOptions,
): () => void {
  let removing = false;
  const removeOnce = async () => {
    if (removing) return;
    removing = true;
    try {
      const removed = await storage.sweep(idleMs + SYNC_MS);
      if (removed > 0) onRemoved(removed);
    } catch (error) {
      onError(error);
    } finally {
      removing = false;
    }
  };
  const timer = setInterval(() => void removeOnce(), everyMs).unref();
  return () => clearInterval(timer);
}
