/**
 * Rate limit per client over all gateways, without a database statement per request. A gateway takes a share of a
 * twentieth of the client's rate at a time and admits requests from it. Other gateways cannot use the rest of that share
 * until the minute ends, so a client that spreads its requests gets up to a twentieth less per gateway.
 */

import { LRUCache } from 'lru-cache';
import type { ClientRateLimit } from '../../database/coordination/client-limits.ts';
import { callerIn, type GatewayMiddleware } from '../route.ts';
import { rateHeaders, secondsOf, tooManyInAWhile } from './client-quotas.ts';

/** To be used after authentication: before it, anybody could use up another client's rate. */
export function limitRequests(rate: ClientRateLimit): GatewayMiddleware {
  const allow = createRequestAllowance(rate);
  return async (ctx, next) => {
    const { allowed, remaining, resetSeconds } = await allow(callerIn(ctx.state).clientId);
    if (!allowed) throw tooManyInAWhile(rate, resetSeconds);
    ctx.set(rateHeaders(rate, { remaining, resetSeconds }));
    await next();
  };
}

/** Part of a client's rate that a gateway takes at a time. */
const SHARE = 1 / 20;
/** Clients whose shares a gateway holds. Beyond them, the client that has sent nothing for the longest time loses its share. */
const CLIENTS = 10_000;

interface Allowance {
  allowed: boolean;
  /** Left in this window, as far as this process knows. */
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

interface ClientShare {
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
  const shares = new LRUCache<string, ClientShare>({ max: CLIENTS });

  function shareOf(clientId: string): ClientShare {
    const share = shares.get(clientId) ?? { left: 0, elsewhere: 0, endsAt: 0, taking: null };
    shares.set(clientId, share);
    return share;
  }

  async function fill(clientId: string, share: ClientShare): Promise<void> {
    const { granted, remaining, resetMs } = await rate.take(clientId, atATime);
    Object.assign(share, { left: granted, elsewhere: remaining, endsAt: now() + resetMs });
  }

  return async function allow(clientId: string): Promise<Allowance> {
    const share = shareOf(clientId);
    for (;;) {
      if (now() < share.endsAt) {
        if (share.left > 0) {
          share.left -= 1;
          return answerOf(share, true);
        }
        // The database has nothing left until the window ends, so no query is needed.
        if (share.elsewhere === 0) return answerOf(share, false);
      }
      // Single-flight: concurrent requests of a client wait for the same share.
      share.taking ??= fill(clientId, share).finally(() => {
        share.taking = null;
      });
      await share.taking;
    }
  };

  function answerOf({ left, elsewhere, endsAt }: ClientShare, allowed: boolean): Allowance {
    return { allowed, remaining: left + elsewhere, resetSeconds: secondsOf(endsAt - now()) };
  }
}
