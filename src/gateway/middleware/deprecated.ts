/** A deprecated route announces its end in every answer (interface §9). */
import type { Deprecation } from '../../contract/schemas/operation.ts';
import type { GatewayMiddleware } from '../state.ts';

/** `Deprecation` is a structured date (RFC 9745 §2), `Sunset` an HTTP date (RFC 8594 §3). */
export function announceEnd({ since, sunset }: Deprecation): GatewayMiddleware {
  const headers = {
    Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    Sunset: sunset.toUTCString(),
  };
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}
