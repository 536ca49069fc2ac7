/**
 * Requests of clients within their rate, without a statement for each: a gateway takes a twentieth of a client's
 * minute at a time, and lets requests go from that. What it has not used up is lost to the other gateways until the
 * minute is over, so that a client that spreads its requests gets up to a twentieth less for each of them.
 */
import type { ClientRateLimit } from '../../database/client-rates.ts';

/** Of a client's rate, what is taken at a time. */
const SHARE = 1 / 20;
/** Clients remembered before those are forgotten whose window is over. */
const CLIENTS = 10_000;
/** Then at most so often: all are looked at. */
const LOOK_EVERY_MS = 1_000;

export interface Allowance {
  allowed: boolean;
  /** Left in this window, as far as this process knows. */
  remaining: number;
  /** Until the window ends. */
  resetSeconds: number;
}

interface Purse {
  /** May still be let go from what was taken. */
  left: number;
  /** With the others, when it was taken last. */
  elsewhere: number;
  /** End of the window, in time of `now`. */
  endsAt: number;
  taking: Promise<void> | null;
}

/** @param now milliseconds of any clock that only goes forward */
export function createRequestAllowance(rate: ClientRateLimit, now: () => number = () => performance.now()) {
  const atATime = Math.max(1, Math.floor(rate.points * SHARE));
  const purses = new Map<string, Purse>();
  let lookAgainAt = 0;

  function purseOf(clientId: string): Purse {
    const known = purses.get(clientId);
    if (known) return known;
    if (purses.size >= CLIENTS && now() >= lookAgainAt) forgetEnded();
    const purse: Purse = { left: 0, elsewhere: 0, endsAt: 0, taking: null };
    purses.set(clientId, purse);
    return purse;
  }

  function forgetEnded(): void {
    for (const [id, { endsAt, taking }] of purses) if (endsAt <= now() && !taking) purses.delete(id);
    lookAgainAt = now() + LOOK_EVERY_MS;
  }

  async function fill(clientId: string, purse: Purse): Promise<void> {
    const { granted, remaining, resetMs } = await rate.take(clientId, atATime);
    Object.assign(purse, { left: granted, elsewhere: remaining, endsAt: now() + resetMs });
  }

  return async function allow(clientId: string): Promise<Allowance> {
    const purse = purseOf(clientId);
    for (;;) {
      if (now() < purse.endsAt) {
        if (purse.left > 0) {
          purse.left -= 1;
          return answerOf(purse, true);
        }
        // Nothing comes back before the window ends: no need to ask.
        if (purse.elsewhere === 0) return answerOf(purse, false);
      }
      // Requests that come meanwhile wait for the same answer.
      purse.taking ??= fill(clientId, purse).finally(() => {
        purse.taking = null;
      });
      await purse.taking;
    }
  };

  function answerOf({ left, elsewhere, endsAt }: Purse, allowed: boolean): Allowance {
    const resetSeconds = Math.max(1, Math.ceil((endsAt - now()) / 1000));
    return { allowed, remaining: left + elsewhere, resetSeconds };
  }
}
