/** The header `Retry-After` (RFC 9110 §10.2.3). */

/**
 * Parses the header as seconds or as a date. A date is compared with the sender's own header `Date`, because the
 * sender's clock may be wrong.
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
