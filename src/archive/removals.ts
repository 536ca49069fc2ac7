/**
 * Removes files that nobody needs, at intervals (decision §room-for-packages): partial files of killed processes, and
 * ZIPs without an import.
 */
import { type ArchiveStorage, isPackageKey, packageFolder, packageUuid } from './storage.ts';

interface RemovalOptions {
  everyMs?: number;
  onRemoved(count: number): void;
  onError(error: unknown): void;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LEFTOVERS_EVERY_MS = MINUTE_MS;
/** A complete file is synced before it is renamed, which takes time and writes no byte. */
const SYNC_MS = 3 * MINUTE_MS;
const ORPHANS_EVERY_MS = 15 * MINUTE_MS;
const ORPHAN_AGE_MS = 30 * MINUTE_MS;
/** Keys per query. */
const PAGE = 500;

/**
 * Removes partial files of killed processes within minutes. A client repeats its upload when its gateway is killed, and
 * each partial package takes room.
 *
 * @param options `idleMs`: milliseconds without a byte after which a file counts as abandoned
 * @returns stops the removal
 */
export function startRemovingLeftovers(
  storage: Pick<ArchiveStorage, 'sweep'>,
  { idleMs, ...options }: RemovalOptions & { idleMs: number },
): () => void {
  return removeRegularly(() => storage.sweep(idleMs + SYNC_MS), { everyMs: LEFTOVERS_EVERY_MS, ...options });
}

interface OrphanOptions extends RemovalOptions {
  /** Keys among `keys` of packages that belong to an import. */
  kept(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether a dry run reads the package. */
  isBeingChecked(uuid: string): Promise<boolean>;
}

/**
 * Removes whole ZIPs without an import within an hour: their gateway ended between storing and recording them, or during
 * their dry run. Retention finds those of earlier days.
 *
 * A ZIP is recorded within seconds after it is stored, with a silent database within minutes. Its age does not show when it
 * was stored: a bucket reports when the upload of an object began. So only a ZIP that already had no import a quarter of
 * an hour earlier is removed.
 *
 * @returns stops the removal
 */
export function startRemovingOrphans(
  storage: Pick<ArchiveStorage, 'list' | 'remove'>,
  { kept, isBeingChecked, ...options }: OrphanOptions,
): () => void {
  let unkeptBefore: ReadonlySet<string> = new Set();
  return removeRegularly(removeOrphans, { everyMs: ORPHANS_EVERY_MS, ...options });

  async function removeOrphans(): Promise<number> {
    const unkept = new Set<string>();
    let removed = 0;
    const now = Date.now();
    // At the beginning of a month, an upload of the last one may have been stored a moment ago.
    const folders = new Set([packageFolder(new Date(now - DAY_MS)), packageFolder(new Date(now))]);
    for (const folder of folders) {
      const keys = (await Array.fromAsync(storage.list(folder, ORPHAN_AGE_MS))).filter(isPackageKey);
      for (let at = 0; at < keys.length; at += PAGE)
        for (const key of await unkeptAmong(keys.slice(at, at + PAGE))) {
          unkept.add(key);
          if (!unkeptBefore.has(key)) continue;
          await storage.remove(key);
          removed += 1;
        }
    }
    unkeptBefore = unkept;
    return removed;
  }

  async function unkeptAmong(keys: readonly string[]): Promise<string[]> {
    const known = await kept(keys);
    const unkept: string[] = [];
    for (const key of keys)
      if (!known.has(key) && !(await isBeingChecked(packageUuid(key)))) unkept.push(key);
    return unkept;
  }
}

/**
 * Repeats a removal. A failed one is repeated like a successful one.
 *
 * @param remove returns the number of removed files
 * @returns stops the repetition
 */
function removeRegularly(
  remove: () => Promise<number>,
  { everyMs, onRemoved, onError }: RemovalOptions & { everyMs: number },
): () => void {
  let removing = false;
  const removeOnce = async () => {
    if (removing) return;
    removing = true;
    try {
      const removed = await remove();
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
