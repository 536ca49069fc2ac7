/** Headers of answers, and the answers that carry them, for the API description. */

interface HeaderDescription {
  description: string;
  schema: { type: 'string' | 'integer'; minimum?: number; const?: string };
  example: string | number;
}

export const ANSWER_HEADERS = {
  'X-Request-Id': {
    description:
      "The client's request id if it has 8 to 128 letters, digits or `.:_-`, else a new one. Log lines contain it",
    schema: { type: 'string' },
    example: '7d0a6a4e-3f0b-4a53-9f55-6a0f1c1d2e3f',
  },
  ETag: {
    description:
      'Version of the answer (RFC 9110 §8.8.3). With it in `If-None-Match`, a JSON answer is 304 until something changes. With it in `If-Range`, a part of a file fits the parts before',
    schema: { type: 'string' },
    example: 'W/"zSv1kkfDCbbB0cWTtkmbvBfhJ2JQ3mzqFh0Zl0bV5hA"',
  },
  Location: {
    description: 'URL of the import: absolute if PUBLIC_URL is configured, else a path (RFC 9110 §10.2.2)',
    schema: { type: 'string' },
    example: '/regulator/package-imports/1',
  },
  Link: {
    description: 'URL of the next page (RFC 8288, `rel="next"`); absent on the last page',
    schema: { type: 'string' },
    example: '</regulator/package-imports?before=7>; rel="next"',
  },
  'Idempotent-Replayed': {
    description: 'Present if the answer repeats that of the first request with this `Idempotency-Key`',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'WWW-Authenticate': {
    description: 'Reason why the access token is refused (RFC 6750 §3)',
    schema: { type: 'string' },
    example: 'Bearer realm="submissions-tool"',
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry (RFC 9110 §10.2.3)',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  RateLimit: {
    description: 'Remaining quota, and seconds until its reset (draft-ietf-httpapi-ratelimit-headers)',
    schema: { type: 'string' },
    example: '"requests";r=5999;t=60',
  },
  'RateLimit-Policy': {
    description: 'The quota of `RateLimit`: its size, and its window in seconds or its unit',
    schema: { type: 'string' },
    example: '"requests";q=6000;w=60',
  },
  Deprecation: {
    description: 'Date of the deprecation (RFC 9745)',
    schema: { type: 'string' },
    example: '@1767225600',
  },
  Sunset: {
    description: 'Date of the removal (RFC 8594)',
    schema: { type: 'string' },
    example: 'Wed, 01 Jul 2026 00:00:00 GMT',
  },
  'Repr-Digest': {
    description: 'SHA-256 of the whole file, also if the answer is a part of it (RFC 9530)',
    schema: { type: 'string' },
    example: 'sha-256=:zSv1kkfDCbbB0cWTtkmbvBfhJ2JQ3mzqFh0Zl0bV5hA=:',
  },
  'Accept-Ranges': {
    description: '`bytes`: the header `Range` asks for a part of the file (RFC 9110 §14.3)',
    schema: { type: 'string', const: 'bytes' },
    example: 'bytes',
  },
  'Content-Range': {
    description: 'The part, and the size of the whole file (RFC 9110 §14.4)',
    schema: { type: 'string' },
    example: 'bytes 0-1023/2077',
  },
  'Content-Disposition': {
    description: 'The name of the file (RFC 6266)',
    schema: { type: 'string' },
    example: 'attachment; filename="repair-pack-1.zip"',
  },
} as const satisfies Record<string, HeaderDescription>;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** Absent if no quota is configured, and before the client is authenticated. */
const QUOTAS: readonly AnswerHeader[] = ['RateLimit', 'RateLimit-Policy'];

const ENDS: readonly AnswerHeader[] = ['Deprecation', 'Sunset'];

const BY_STATUS: Readonly<Record<number, readonly AnswerHeader[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
};

/**
 * @param route of the answer
 * @param own further headers of this answer
 */
export function headersOf(
  route: { permission?: unknown; deprecated?: unknown },
  status: number,
  own: readonly AnswerHeader[] = [],
) {
  const names: AnswerHeader[] = [
    'X-Request-Id',
    ...(route.deprecated === undefined ? [] : ENDS),
    ...(route.permission !== undefined && status !== 401 ? QUOTAS : []),
    ...(BY_STATUS[status] ?? []),
    ...own,
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
