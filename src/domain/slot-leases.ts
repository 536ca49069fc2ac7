/**
 * The leases of one process on slots for calls to the regulator. A lease allows one call at a time, until its end.
 * Each lease is a row in the database, with an id of its own.
 *
 * These rules hold even if statements and answers are lost, late or repeated:
 *
 * 1. A lease ends here before its row ends in the database. Its end counts from before the statement was sent, and is
 *    `MARGIN_MS` earlier.
 * 2. A call begins only under a lease that has not ended. At its end a lease is dropped and its call is aborted, by the
 *    clock of this process, whether or not the database answers.
 * 3. Only a held lease is renewed. The row of a dropped lease, or of one whose grant never arrived, expires
 *    `LEASE_MS` after the last statement that named it.
 * 4. A dropped lease is never held again: the same slot returns under another id. A late statement therefore
 *    changes nothing of the leases that are held now.
 *
 * 1 and 2 keep the calls of all processes within the number of slots. 3 keeps all slots in use: each can be leased again
 * `LEASE_MS` after its lease was lost. 4 keeps both true for statements that are executed late.
 *
 * All times are `performance.now()`, which is independent of the system clock. A process that is suspended and resumed
 * aborts its calls only after it resumes.
 */

/** Lifetime of a row in the database without renewal. */
export const LEASE_MS = 6_000;
/** Time for an aborted call to end, and for clocks that run at different speeds. */
export const MARGIN_MS = 1_000;

export interface Lease {
  readonly id: string;
  endsAt: number;
  inUse: boolean;
  /** Aborted when the lease is dropped. Each call has one of its own. */
  lost: AbortController;
  /** End of its last call. */
  freeSince: number;
}

/** @param reason creates the abort reason for the call of a dropped lease */
export function createSlotLeases(reason: () => Error) {
  const held = new Map<string, Lease>();

  function drop(lease: Lease): void {
    held.delete(lease.id);
    lease.lost.abort(reason());
  }

  return {
    size: () => held.size,
    ids: () => [...held.keys()],

    /** @param askedAt before the statement was sent */
    granted(ids: readonly string[], askedAt: number): void {
      for (const id of ids) {
        const endsAt = leaseEnd(askedAt);
        held.set(id, { id, endsAt, inUse: false, lost: new AbortController(), freeSince: askedAt });
      }
    },

    /**
     * @param asked ids that the statement named
     * @param renewed the ids whose rows still exist; the others are dropped
     */
    renewed(asked: readonly string[], renewed: readonly string[], askedAt: number): void {
      const alive = new Set(renewed);
      for (const id of asked) {
        const lease = held.get(id);
        if (!lease) continue;
        if (alive.has(id)) lease.endsAt = leaseEnd(askedAt);
        else drop(lease);
      }
    },

    /** Drops ended leases. The caller runs it every few hundred milliseconds, well within `MARGIN_MS`. */
    dropEnded(now: number): void {
      for (const lease of [...held.values()]) if (lease.endsAt <= now) drop(lease);
    },

    /** The free lease that was used last, so that surplus leases stay unused and can be dropped. */
    take(now: number): Lease | null {
      const usable = [...held.values()].filter(({ inUse, endsAt }) => !inUse && endsAt > now);
      const [latest] = usable.toSorted((a, b) => b.freeSince - a.freeSince);
      if (!latest) return null;
      latest.inUse = true;
      latest.lost = new AbortController();
      return latest;
    },

    free(lease: Lease, now: number): void {
      lease.inUse = false;
      lease.freeSince = now;
    },

    /**
     * Drops up to `most` free leases that no call has used since. Returns their ids, so that their rows can be deleted.
     */
    dropUnused(since: number, most = Number.POSITIVE_INFINITY): string[] {
      const unused = [...held.values()].filter(({ inUse, freeSince }) => !inUse && freeSince <= since);
      const dropped = unused.slice(0, most);
      for (const lease of dropped) drop(lease);
      return dropped.map(({ id }) => id);
    },

    dropAll(): void {
      for (const lease of [...held.values()]) drop(lease);
    },
  };
}

function leaseEnd(askedAt: number): number {
  return askedAt + LEASE_MS - MARGIN_MS;
}
