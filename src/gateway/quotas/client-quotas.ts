/** Quotas of one client (decision §quotas): concurrency limits and rate limits. */
import type { ClientRateLimit } from '../../database/coordination/client-rates.ts';
import type { ClientSlots } from '../../database/coordination/client-slots.ts';
import { HttpError } from '../http-error.ts';

/** Shared by all gateways. */
export interface ClientQuotas {
  /** Concurrent uploads, dry runs included. Null for no limit. */
  uploads: ClientSlots | null;
  /** Null for no limit. */
  requests: ClientRateLimit | null;
  /** Recipients of summaries. */
  mails: ClientRateLimit;
  /** Messages to webhooks. */
  webhooks: ClientRateLimit;
  /** Domains to which summaries may be mailed. Empty for all. */
  recipientDomains: readonly string[];
}

/** Seconds after which a running upload may have ended. */
const SLOT_RETRY_S = 5;

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

/** 429 (RFC 6585 §4). @param resetSeconds until the window ends */
export function tooManyInAWhile(rate: ClientRateLimit, resetSeconds: number): HttpError {
  const window = rate.windowSeconds === 60 ? 'minute' : 'hour';
  const message = `A client may have ${rate.points} ${rate.kind} per ${window}. Try again later.`;
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(resetSeconds),
      ...rateHeaders(rate, { remaining: 0, resetSeconds }),
    },
  });
}

export function tooManyAtOnce({ limit }: ClientSlots): HttpError {
  const message = `This client has ${limit} uploads under way, dry runs included, and may have no more at the same time. Wait for one of them to be answered.`;
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(SLOT_RETRY_S),
      'RateLimit-Policy': `"uploads";q=${limit};qu="concurrent-requests"`,
      RateLimit: `"uploads";r=0;t=${SLOT_RETRY_S}`,
    },
  });
}

/** @throws HttpError 429 if less than `wanted` is left in the window */
export async function takeFromRate(rate: ClientRateLimit, clientId: string, wanted: number): Promise<void> {
  if (wanted === 0) return;
  const { granted, resetMs } = await rate.take(clientId, wanted);
  if (granted < wanted) throw tooManyInAWhile(rate, Math.max(1, Math.ceil(resetMs / 1000)));
}
