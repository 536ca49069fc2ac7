/** Quotas counted in the memory of a test, in place of those that are counted in the database. */
import type { ClientRateLimit } from '../../../src/database/coordination/client-rates.ts';
import type { ClientSlots } from '../../../src/database/coordination/client-slots.ts';

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
  };
  return rate;
}

export function slotsOf(limit: number): ClientSlots {
  const taken = new Map<string, number>();
  const change = (clientId: string, by: number) => taken.set(clientId, (taken.get(clientId) ?? 0) + by);
  return {
    limit,
    async take(clientId) {
      if ((taken.get(clientId) ?? 0) >= limit) return null;
      change(clientId, 1);
      return async () => void change(clientId, -1);
    },
  };
}
