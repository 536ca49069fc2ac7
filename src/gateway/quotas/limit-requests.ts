/** At most so many requests per minute and client, over all gateways. */
import type { ClientRateLimit } from '../../database/client-rates.ts';
import { callerIn, type GatewayMiddleware } from '../state.ts';
import { rateHeaders, tooManyRequests } from './client-quotas.ts';
import { createRequestAllowance } from './request-allowance.ts';

/** To be used behind authentication: before it, anybody could use up the requests of others. */
export function limitRequests(rate: ClientRateLimit): GatewayMiddleware {
  const allow = createRequestAllowance(rate);
  return async (ctx, next) => {
    const { allowed, remaining, resetSeconds } = await allow(callerIn(ctx.state).clientId);
    if (!allowed) throw tooManyRequests(rate, resetSeconds);
    ctx.set(rateHeaders('requests', rate, { remaining, resetSeconds }));
    await next();
  };
}
