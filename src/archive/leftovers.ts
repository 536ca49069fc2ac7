/**
 * Removes partial files of killed processes within minutes. A client repeats its upload when its gateway is killed,
 * and each partial package takes room (decision §room-for-packages).
 */
import { type RemovalOptions, removeRegularly } from './remove-regularly.ts';
import type { ArchiveStorage } from './storage.ts';

export interface LeftoverOptions extends RemovalOptions {
  /** Milliseconds without a byte after which a file counts as abandoned. */
  idleMs: number;
}

/** A complete file is synced before it is renamed, which takes time and writes no byte. */
const SYNC_MS = 3 * 60_000;
const EVERY_MS = 60_000;

/** @returns stops the removal */
export function startRemovingLeftovers(
  storage: Pick<ArchiveStorage, 'sweep'>,
  { idleMs, ...options }: LeftoverOptions,
): () => void {
  return removeRegularly(() => storage.sweep(idleMs + SYNC_MS), { everyMs: EVERY_MS, ...options });
}
