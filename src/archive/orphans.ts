/**
 * Removes whole ZIPs without an import within an hour: their gateway ended between storing and recording them, or during
 * their dry run. Retention finds those of earlier days (decision §room-for-packages).
 */
import { type RemovalOptions, removeRegularly } from './remove-regularly.ts';
import { type ArchiveStorage, isPackageKey, packageFolder, packageUuid } from './storage.ts';

export interface OrphanOptions extends RemovalOptions {
  /** Keys among `keys` of packages that belong to an import. */
  kept(keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether a dry run reads the package. */
  isBeingChecked(uuid: string): Promise<boolean>;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A ZIP is recorded within seconds after it is stored, with a silent database within minutes. */
const AGE_MS = 30 * MINUTE_MS;
const EVERY_MS = 15 * MINUTE_MS;
/** Keys per query. */
const PAGE = 500;

/** @returns stops the removal */
export function startRemovingOrphans(
  storage: Pick<ArchiveStorage, 'list' | 'remove'>,
  { kept, isBeingChecked, ...options }: OrphanOptions,
): () => void {
  return removeRegularly(removeOrphans, { everyMs: EVERY_MS, ...options });

  async function removeOrphans(): Promise<number> {
    let removed = 0;
    const now = Date.now();
    // At the beginning of a month, an upload of the last one may have been stored a moment ago.
    const folders = new Set([packageFolder(new Date(now - DAY_MS)), packageFolder(new Date(now))]);
    for (const folder of folders) {
      const keys = (await Array.fromAsync(storage.list(folder, AGE_MS))).filter(isPackageKey);
      for (let at = 0; at < keys.length; at += PAGE) removed += await removeUnkept(keys.slice(at, at + PAGE));
    }
    return removed;
  }

  async function removeUnkept(keys: readonly string[]): Promise<number> {
    const known = await kept(keys);
    let removed = 0;
    for (const key of keys) {
      if (known.has(key) || (await isBeingChecked(packageUuid(key)))) continue;
      await storage.remove(key);
      removed += 1;
    }
    return removed;
  }
}
