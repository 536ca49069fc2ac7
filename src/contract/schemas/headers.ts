/** Headers of answers, and the answers that carry them, for the API description. */

interface HeaderSchema {
  type: 'string' | 'integer';
  minimum?: number;
  const?: string;
}

const header = (
  description: string,
  example: string | number,
  schema: HeaderSchema = { type: 'string' },
) => ({ description, schema, example });

export const ANSWER_HEADERS = {
  'X-Request-Id': header(
    "The client's request id if it has 8 to 128 letters, digits or `.:_-`, else a new one. Log lines contain it",
    '7d0a6a4e-3f0b-4a53-9f55-6a0f1c1d2e3f',
  ),
  ETag: header(
    'Version of the answer (RFC 9110 §8.8.3). With it in `If-None-Match`, a JSON answer or a package is 304 until something changes. With it in `If-Range`, a part of a file fits the parts before',
    'W/"zSv1kkfDCbbB0cWTtkmbvBfhJ2JQ3mzqFh0Zl0bV5hA"',
  ),
  Location: header(
    'URL of the import: absolute if PUBLIC_URL is configured, else a path (RFC 9110 §10.2.2)',
    '/regulator/package-imports/1',
  ),
  Link: header(
    'URL of the next page (RFC 8288, `rel="next"`); absent on the last page',
    '</regulator/package-imports?before=7>; rel="next"',
  ),
  'Idempotent-Replayed': header(
    'Present if the answer repeats that of the first request with this `Idempotency-Key`',
    'true',
    { type: 'string', const: 'true' },
  ),
  'WWW-Authenticate': header(
    'Reason why the access token is refused (RFC 6750 §3)',
    'Bearer realm="submissions-tool"',
  ),
  'Retry-After': header('Seconds to wait before a retry (RFC 9110 §10.2.3)', 5, {
    type: 'integer',
    minimum: 0,
  }),
  RateLimit: header(
    'Remaining quota, and seconds until its reset (draft-ietf-httpapi-ratelimit-headers)',
    '"requests";r=5999;t=60',
  ),
  'RateLimit-Policy': header(
    'The quota of `RateLimit`: its size, and its window in seconds or its unit',
    '"requests";q=6000;w=60',
  ),
  'Repr-Digest': header(
    'SHA-256 of the whole file, also if the answer is a part of it (RFC 9530)',
    'sha-256=:zSv1kkfDCbbB0cWTtkmbvBfhJ2JQ3mzqFh0Zl0bV5hA=:',
  ),
  'Accept-Ranges': header(
    '`bytes`: the header `Range` asks for a part of the file (RFC 9110 §14.3)',
    'bytes',
    { type: 'string', const: 'bytes' },
  ),
  'Content-Range': header('The part, and the size of the whole file (RFC 9110 §14.4)', 'bytes 0-1023/2077'),
  'Content-Disposition': header(
    'The name of the file (RFC 6266)',
    'attachment; filename="repair-pack-1.zip"',
  ),
} as const;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** Absent if no quota is configured, and before the client is authenticated. */
const QUOTAS: readonly AnswerHeader[] = ['RateLimit', 'RateLimit-Policy'];

const BY_STATUS: Readonly<Record<number, readonly AnswerHeader[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/**
 * @param route of the answer
 * @param own further headers of this answer
 */
export function headersOf(
  route: { permission?: unknown },
  status: number,
  own: readonly AnswerHeader[] = [],
) {
  const names: AnswerHeader[] = [
    'X-Request-Id',
    ...(route.permission !== undefined && status !== 401 ? QUOTAS : []),
    ...(BY_STATUS[status] ?? []),
    ...own,
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
