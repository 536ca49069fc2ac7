/**
 * Removes partial files of killed processes within minutes. A client repeats its upload when its gateway is killed,
 * and each partial package takes room (decision §room-for-packages).
 */
import type { ArchiveStorage } from './storage.ts';

export interface LeftoverOptions {
  /** Milliseconds without a byte after which a file counts as abandoned. */
  idleMs: number;
  everyMs?: number;
  onRemoved(count: number): void;
  onError(error: unknown): void;
}

/** A complete file is synced before it is renamed, which takes time and writes no byte. */
const SYNC_MS = 3 * 60_000;
const EVERY_MS = 60_000;

/** @returns stops the removal */
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
