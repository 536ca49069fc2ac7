/**
 * Common parts of every Koa application of the service: the state of a request, and the security headers of every
 * answer.
 */

import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { ErrorCode } from '../contract/error-codes.ts';

export interface RequestState {
  requestId: string;
  /** Every line has the request id. */
  log: Logger;
  /** Code of the error answer. */
  errorCode?: ErrorCode;
  /** Set once the upload has been received completely. */
  upload?: { archive: { sizeBytes: number } };
}

/** Answers are data for one client: no scripts, no framing, no caching. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** A year (RFC 6797 §6.1.1). */
const STRICT_TRANSPORT_SECURITY = 'max-age=31536000';

/**
 * Sets the headers before other middleware, so that pages can loosen them. HSTS is sent over TLS only (RFC 6797 §7.2).
 * TLS ends at a proxy, so only a trusted proxy's X-Forwarded-Proto counts.
 */
export function securityHeaders(): Middleware {
  return async (ctx, next) => {
    ctx.set(SECURITY_HEADERS);
    if (ctx.secure) ctx.set('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
    await next();
  };
}
