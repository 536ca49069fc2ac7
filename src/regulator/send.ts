/**
 * One HTTP exchange with the regulator, by undici's `request`: it costs a third of the CPU of `fetch`
 * (bench/README.md, "Changes that had an effect"). Metrics and tracing wrap it.
 */
import type { Readable } from 'node:stream';
import { request as exchange } from 'undici';

export interface RegulatorRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body?: string | Readable;
  /** Its abort ends the exchange, and the reading of the answer. */
  signal?: AbortSignal;
}

export interface RegulatorResponse {
  status: number;
  headers: Pick<Headers, 'get'>;
  /** The whole body. */
  text: string;
}

/**
 * Redirects are not followed, and the answer is not compressed.
 *
 * @throws what ended the exchange before the whole answer
 */
export type SendRequest = (request: RegulatorRequest) => Promise<RegulatorResponse>;

export const sendRequest: SendRequest = async ({ url, headers, body = null, signal, ...options }) => {
  const answer = await exchange(url, {
    ...options,
    // Some proxies refuse a request without a user agent. `fetch` sends the same one.
    headers: { ...headers, 'accept-encoding': 'identity', 'user-agent': 'node' },
    body,
    ...(signal && { signal }),
  });
  return {
    status: answer.statusCode,
    headers: { get: (name) => [answer.headers[name]].flat()[0] ?? null },
    text: await answer.body.text(),
  };
};
