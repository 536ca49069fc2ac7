/** The header `Retry-After` (RFC 9110 §10.2.3). */

/**
 * Seconds, given as such or as a date. A date is read by the clock of whoever sent it, where the header `Date` tells
 * that: it may be wrong.
 *
 * @param now milliseconds since 1970, for answers without a `Date`
 * @returns at least 0; null where there is no such header, or nonsense in it
 */
export function retryAfterSeconds(headers: Pick<Headers, 'get'>, now: number = Date.now()): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value);
  const date = Date.parse(value);
  if (Number.isNaN(date)) return null;
  const sent = Date.parse(headers.get('date') ?? '');
  return Math.max(0, Math.ceil((date - (Number.isNaN(sent) ? now : sent)) / 1000));
}
