/** What one client may use of the service (architecture §quotas), and the answers to one that wants more. */
import type { ClientRateLimit } from '../../database/client-rates.ts';
import type { ClientSlots } from '../../database/client-slots.ts';
import { HttpError, wholeMb } from '../http-error.ts';

/** Counted over all gateways. Null where there is no limit. */
export interface ClientQuotas {
  requests: ClientRateLimit | null;
  uploads: ClientSlots | null;
  dryRuns: ClientSlots | null;
  /** Imports that a summary is mailed about. */
  mails: ClientRateLimit | null;
  /** Messages to webhooks. */
  webhooks: ClientRateLimit | null;
  /** Bytes that may be kept of a client's imports. */
  storedBytes: number | null;
  /** Domains to which a client may have summaries sent; empty for all. */
  recipientDomains: readonly string[];
}

/** Seconds after which something that is under way now may have ended. */
const SLOT_RETRY_S = 5;
/** Nothing but time and retention makes room: whoever waits for it had better not ask often. */
const STORED_RETRY_S = 3600;

/** The fields of draft-ietf-httpapi-ratelimit-headers for a quota of so many in a window of time. */
export function rateHeaders(
  name: string,
  { points, windowSeconds }: Pick<ClientRateLimit, 'points' | 'windowSeconds'>,
  { remaining, resetSeconds }: { remaining: number; resetSeconds: number },
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${points};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}

/** RFC 6585 §4. */
export function tooManyRequests(rate: ClientRateLimit, resetSeconds: number): HttpError {
  const message = `A client may send ${rate.points} requests per minute. Try again later.`;
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(resetSeconds),
      ...rateHeaders('requests', rate, { remaining: 0, resetSeconds }),
    },
  });
}

export function tooManyMails(rate: ClientRateLimit, resetSeconds: number): HttpError {
  const message = `A client may have ${rate.points} summaries mailed per hour. Send the package later.`;
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(resetSeconds),
      ...rateHeaders('mails', rate, { remaining: 0, resetSeconds }),
    },
  });
}

export function tooManyWebhooks(rate: ClientRateLimit, resetSeconds: number): HttpError {
  const message = `A client may have ${rate.points} messages sent to its webhooks per hour. Try again later.`;
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(resetSeconds),
      ...rateHeaders('webhooks', rate, { remaining: 0, resetSeconds }),
    },
  });
}

/** @param what in the plural */
export function tooManyAtOnce(what: 'uploads' | 'dry runs', limit: number): HttpError {
  const message = `A client may have ${limit} ${what} under way at the same time. Wait for one of them to be answered.`;
  const name = what.replace(' ', '-');
  return new HttpError('too_many_requests', message, {
    headers: {
      'Retry-After': String(SLOT_RETRY_S),
      'RateLimit-Policy': `"${name}";q=${limit};qu="concurrent-requests"`,
      RateLimit: `"${name}";r=0;t=${SLOT_RETRY_S}`,
    },
  });
}

/** @param keptBytes of the client's imports, without what was to come */
export function tooMuchStored(limitBytes: number, keptBytes: number): HttpError {
  const message = `The service keeps at most ${wholeMb(limitBytes)} MB of a client's packages and attachments; it keeps ${wholeMb(keptBytes)} MB. The oldest go when their time of retention is over; the operators can allow more.`;
  const remaining = Math.max(0, limitBytes - keptBytes);
  return new HttpError('quota_exceeded', message, {
    headers: {
      'Retry-After': String(STORED_RETRY_S),
      'RateLimit-Policy': `"stored";q=${limitBytes};qu="content-bytes"`,
      RateLimit: `"stored";r=${remaining};t=${STORED_RETRY_S}`,
    },
  });
}
