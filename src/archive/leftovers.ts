/**
 * Removes what killed processes have left of files that were being written, within minutes: a client whose gateway
 * is killed sends its package again, and again, and each half package takes room (decision §room-for-packages).
 */
import type { ArchiveStorage } from './storage.ts';

export interface LeftoverOptions {
  /** Milliseconds without a byte after which nobody writes to a file any more. */
  idleMs: number;
  everyMs?: number;
  onRemoved(count: number): void;
  onError(error: unknown): void;
}

/** A file that is whole is synced before it is renamed: that takes time, and brings no byte. */
const SYNC_MS = 3 * 60_000;
const EVERY_MS = 60_000;

/** @returns what ends it */
export function startRemovingLeftovers(
  storage: Pick<ArchiveStorage, 'sweep'>,
  { idleMs, everyMs = EVERY_MS, onRemoved, onError }: LeftoverOptions,
): () => void {
  let sweeping = false;
  const sweep = async () => {
    if (sweeping) return;
    sweeping = true;
    try {
      const removed = await storage.sweep(idleMs + SYNC_MS);
      if (removed > 0) onRemoved(removed);
    } catch (error) {
      onError(error);
    } finally {
      sweeping = false;
    }
  };
  const timer = setInterval(() => void sweep(), everyMs).unref();
  return () => clearInterval(timer);
}
