/** Hosts and headers. Pure. */

/** The address on which embedded parts listen. */
export const LOCALHOST = '127.0.0.1';

/** Whether a host or a listening address can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return /^127(?:\.\d{1,3}){3}$/.test(name) || name === '::1' || /^(?:.+\.)?localhost$/.test(name);
}

/**
 * Parses the header `Retry-After` (RFC 9110 §10.2.3) as seconds or as a date. A date is compared with the sender's own
 * header `Date`, because the sender's clock may be wrong.
 *
 * @param now milliseconds since 1970, for answers without a `Date`
 * @returns at least 0; null if the header is missing or invalid
 */
export function retryAfterSeconds(headers: Pick<Headers, 'get'>, now: number = Date.now()): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  if (Number.isNaN(date)) return null;
  const sent = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Math.ceil((date - (Number.isNaN(sent) ? now : sent)) / 1000));
}
