/**
 * At most so many requests per minute and client (off unless RATE_LIMIT_PER_MINUTE is set). The generic
 * cell rate algorithm: a client may send its minute's worth at once, and gets it back evenly. Counted in this
 * process: several gateways behind a load balancer allow so much each.
 */
import { tooManyRequests } from '../http-error.ts';
import { callerIn, type GatewayMiddleware } from '../state.ts';

const MINUTE_MS = 60_000;
/** Clients remembered before those that have all their requests back are forgotten. */
const CLIENTS = 10_000;

/**
 * To be used behind authentication: before it, anybody could use up the requests of others.
 *
 * @param now milliseconds of any clock that only goes forward
 */
export function limitRate(perMinute: number, now: () => number = () => performance.now()): GatewayMiddleware {
  const costMs = MINUTE_MS / perMinute;
  /** When a client has all its requests back, in time of `now`. */
  const restored = new Map<string, number>();

  function forgetRested(at: number): void {
    for (const [clientId, when] of restored) if (when <= at) restored.delete(clientId);
  }

  return async (ctx, next) => {
    const { clientId } = callerIn(ctx.state);
    const at = now();
    const due = Math.max(restored.get(clientId) ?? at, at) + costMs;
    const waitMs = due - at - MINUTE_MS;
    // The clock's fractions add up to a little more than a minute.
    if (waitMs > 1e-6) throw tooManyRequests(perMinute, Math.ceil(waitMs / 1000));
    if (restored.size >= CLIENTS) forgetRested(at);
    restored.set(clientId, due);
    await next();
  };
}
