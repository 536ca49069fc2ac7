/** Quotas counted in the memory of a test, in place of those that are counted in the database. */
import type { ClientRateLimit, ClientSlots } from '../../src/database/coordination/client-limits.ts';
import type { ReadBudget } from '../../src/gateway/quotas/read-budgets.ts';

export interface CountedRate extends ClientRateLimit {
  /** Number of takes: one statement each. */
  taken: number;
}

/** @param now milliseconds */
export function rateOf(
  points: number,
  { kind = 'requests', windowSeconds = 60, now = () => performance.now() } = {},
): CountedRate {
  const windows = new Map<string, { used: number; endsAt: number }>();
  const rate: CountedRate = {
    kind,
    points,
    windowSeconds,
    taken: 0,
    async take(clientId, wanted) {
      rate.taken += 1;
      const known = windows.get(clientId);
      const window =
        known && known.endsAt > now() ? known : { used: 0, endsAt: now() + windowSeconds * 1000 };
      windows.set(clientId, window);
      const granted = Math.max(0, Math.min(wanted, points - window.used));
      window.used += wanted;
      return { granted, remaining: Math.max(0, points - window.used), resetMs: window.endsAt - now() };
    },
    async refund(clientId, given) {
      const window = windows.get(clientId);
      if (window) window.used -= given;
    },
  };
  return rate;
}

export function slotsOf(limit: number | null): ClientSlots {
  const taken = new Set<{ clientId: string; bytes: number }>();
  return {
    limit,
    async take(clientId, bytes = 0) {
      const own = [...taken].filter((slot) => slot.clientId === clientId);
      if (limit !== null && own.length >= limit) return null;
      const slot = { clientId, bytes };
      taken.add(slot);
      return async () => void taken.delete(slot);
    },
    async reserved(clientId) {
      const sum = (slots: { bytes: number }[]) => slots.reduce((all, { bytes }) => all + bytes, 0);
      return { all: sum([...taken]), own: sum([...taken].filter((slot) => slot.clientId === clientId)) };
    },
  };
}

/** A read that never waits. */
export const unlimitedRead: ReadBudget = { reserve: async () => {}, loaded: () => {} };
