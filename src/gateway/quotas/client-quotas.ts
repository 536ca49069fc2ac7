/** Quotas (decision §quotas): concurrency limits and rate limits of one client, and the rate of logins of all. */
import type { ClientRateLimit, ClientSlots } from '../../database/coordination/client-limits.ts';
import { HttpError } from '../http-error.ts';

/** Shared by all gateways. */
export interface ClientQuotas {
  /** Concurrent uploads, dry runs included. */
  uploads: ClientSlots;
  requests: ClientRateLimit;
  /** Files of packages. Workers count them as they record them, so the last package may exceed the rate. */
  files: ClientRateLimit;
  /** Recipients of summaries. */
  mails: ClientRateLimit;
  /** Messages to webhooks. */
  webhooks: ClientRateLimit;
  /** Logins with the regulator, of all clients together: each has five attempts for its code. */
  logins: ClientRateLimit;
  /** Domains to which summaries may be mailed. Empty, or with `*`, for all. */
  recipientDomains: readonly string[];
}

/** Seconds after which a running upload may have ended. */
const SLOT_RETRY_S = 5;

const WINDOWS: Readonly<Record<number, string>> = { 60: 'minute', 3600: 'hour', 86400: 'day' };

/** Headers of draft-ietf-httpapi-ratelimit-headers. */
export function rateHeaders(
  { kind, points, windowSeconds }: Pick<ClientRateLimit, 'kind' | 'points' | 'windowSeconds'>,
  { remaining, resetSeconds }: { remaining: number; resetSeconds: number },
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${kind}";q=${points};w=${windowSeconds}`,
    RateLimit: `"${kind}";r=${remaining};t=${resetSeconds}`,
  };
}

/**
 * 429 (RFC 6585 §4).
 *
 * @param resetSeconds until the window ends
 * @param whose quota it is
 */
export function rateExceeded(
  rate: ClientRateLimit,
  resetSeconds: number,
  whose = 'of this client',
): HttpError {
  const message = `The quota of ${rate.points} ${rate.kind} per ${WINDOWS[rate.windowSeconds]} ${whose} is used up. Try again later.`;
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(resetSeconds),
      ...rateHeaders(rate, { remaining: 0, resetSeconds }),
    },
  });
}

export function concurrencyExceeded({ limit }: ClientSlots): HttpError {
  const message = `This client has ${limit} running uploads, including dry runs. More are not allowed at the same time. Wait for the answer to one of them.`;
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(SLOT_RETRY_S),
      'RateLimit-Policy': `"uploads";q=${limit};qu="concurrent-requests"`,
      RateLimit: `"uploads";r=0;t=${SLOT_RETRY_S}`,
    },
  });
}

/** @throws HttpError 429 if less than `wanted` is left in the window */
export async function takeFromRate(
  rate: ClientRateLimit,
  clientId: string,
  wanted: number,
  whose?: string,
): Promise<void> {
  if (wanted === 0) return;
  const { granted, resetMs } = await rate.take(clientId, wanted);
  if (granted < wanted) throw rateExceeded(rate, secondsOf(resetMs), whose);
}

export function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
