/** Headers that every answer carries, so that a browser that is led here can be made to do nothing with it. */
import type { Middleware } from 'koa';

/** Answers are data for one client: nothing is to run, to be framed, or to be kept by anything on the way. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** A year, as browsers expect of hosts that mean it (RFC 6797 §6.1.1). */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/**
 * Set before anything else runs: pages that are more than data loosen what they need to. HSTS goes out only over
 * TLS (RFC 6797 §7.2), which ends at a proxy in front: it takes a trusted one to tell us.
 */
export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set(SECURITY_HEADERS);
    if (ctx.secure) ctx.set('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
    await next();
  };
}
