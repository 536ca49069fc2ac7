/**
 * Rate limit of each program and of each person over all gateways, without a database statement per request. A gateway
 * takes a share of a twentieth of the rate at a time and admits requests from it. Other gateways cannot use the rest of
 * that share until the minute ends, so a client that spreads its requests gets up to a twentieth less per gateway.
 */

import { LRUCache } from 'lru-cache';
import type { ClientRateLimit } from '../../database/coordination/client-limits.ts';
import { isPerson, withoutName } from '../../domain/actors.ts';
import type { Caller } from '../tokens/access-token.ts';
import { rateExceeded, rateHeaders, secondsOf } from './client-quotas.ts';

/**
 * Makes the limit of requests. It counts those of authenticated callers: before authentication, anybody could use up
 * another client's rate. People have a rate of their own: the web page of each of them sends up to a hundred requests a
 * minute, with the same client.
 */
export function createRequestLimit(rate: ClientRateLimit) {
  const allow = createRequestAllowance(rate);
  /** Counts a request, and returns the headers of its answer. @throws HttpError 429 */
  return async ({ actor }: Pick<Caller, 'actor'>): Promise<Record<string, string>> => {
    const { allowed, ...left } = await allow(withoutName(actor));
    if (allowed) return rateHeaders(rate, left);
    throw rateExceeded(rate, left.resetSeconds, isPerson(actor) ? 'of this person' : undefined);
  };
}

/** Part of a rate that a gateway takes at a time. */
const SHARE = 1 / 20;
/**
 * Actors whose shares a gateway holds. Beyond them, the actor that has sent nothing for the longest time loses its
 * share.
 */
const ACTORS = 10_000;

interface Allowance {
  allowed: boolean;
  /** Left in this window, as far as this process knows. */
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

interface Share {
  /** Requests left of the share. */
  left: number;
  /** Requests left in the database when the share was taken. */
  elsewhere: number;
  /** End of the window, on the clock of `now`. */
  endsAt: number;
  taking: Promise<void> | null;
}

/** @param now milliseconds of any monotonic clock */
export function createRequestAllowance(rate: ClientRateLimit, now: () => number = () => performance.now()) {
  const atATime = Math.max(1, Math.floor(rate.points * SHARE));
  const shares = new LRUCache<string, Share>({ max: ACTORS });

  function shareOf(actor: string): Share {
    const share = shares.get(actor) ?? { left: 0, elsewhere: 0, endsAt: 0, taking: null };
    shares.set(actor, share);
    return share;
  }

  async function fill(actor: string, share: Share): Promise<void> {
    const { granted, remaining, resetMs } = await rate.take(actor, atATime);
    Object.assign(share, { left: granted, elsewhere: remaining, endsAt: now() + resetMs });
  }

  return async function allow(actor: string): Promise<Allowance> {
    const share = shareOf(actor);
    for (;;) {
      if (now() < share.endsAt) {
        if (share.left > 0) {
          share.left -= 1;
          return answerOf(share, true);
        }
        // The database has nothing left until the window ends, so no query is needed.
        if (share.elsewhere === 0) return answerOf(share, false);
      }
      // Single-flight: concurrent requests of an actor wait for the same share.
      share.taking ??= fill(actor, share).finally(() => {
        share.taking = null;
      });
      await share.taking;
    }
  };

  function answerOf({ left, elsewhere, endsAt }: Share, allowed: boolean): Allowance {
    return { allowed, remaining: left + elsewhere, resetSeconds: secondsOf(endsAt - now()) };
  }
}
