/**
 * One attempt to send a message to a client's URL. The client chooses the target, so the address is checked at
 * connection time, after the DNS lookup. No answer of a name server can lead to a private address.
 * Redirects are not followed, and only the head of the answer is read (decision §signed-webhooks).
 */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isLoopback } from '../../common/loopback.ts';
import { retryAfterSeconds } from '../../common/retry-after.ts';
import { messageOf } from '../../domain/errors.ts';
import { type Message, signedHeaders } from './signature.ts';

/** Limit for a whole attempt. */
const TIMEOUT_MS = 10_000;
/** Maximum size of the answer's head. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Result of an attempt. */
export interface WebhookAnswer {
  delivered: boolean;
  /** HTTP status; null if there was no answer. */
  status: number | null;
  /** Message for people; null if the message was delivered. */
  error: string | null;
  /** Seconds, if the receiver asked for a pause. */
  retryAfterSeconds: number | null;
}

export interface WebhookSender {
  /** Never rejects: a receiver that does not answer is normal. */
  send(url: string, message: Message, secrets: readonly string[]): Promise<WebhookAnswer>;
}

export interface WebhookSenderOptions {
  userAgent: string;
  timeoutMs?: number;
  /** Replaces the system's DNS lookup. */
  lookup?: RequestOptions['lookup'];
}

/** Only a URL that names this machine itself may reach it (see `webhookUrlFault`). */
const LOOPBACK = ['127.0.0.1', '::1'];

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { userAgent, timeoutMs = TIMEOUT_MS, lookup } = options;
  return {
    async send(url, message, secrets) {
      const target = new URL(url);
      const headers = {
        ...signedHeaders(message, secrets),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(message.body),
        'user-agent': userAgent,
      };
      try {
        return answerOf(await post(target, headers, message.body));
      } catch (error) {
        return { delivered: false, status: null, error: reasonOf(error), retryAfterSeconds: null };
      }
    },
  };

  function post(target: URL, headers: RequestOptions['headers'], body: string): Promise<IncomingMessage> {
    const secure = target.protocol === 'https:';
    const filter = { allowIPAddressList: isLoopback(target.hostname) ? LOOPBACK : [] };
    const agent = secure ? new RequestFilteringHttpsAgent(filter) : new RequestFilteringHttpAgent(filter);
    return new Promise((resolve, reject) => {
      const call = (secure ? httpsRequest : httpRequest)(
        target,
        {
          method: 'POST',
          headers,
          agent,
          maxHeaderSize: MAX_HEADER_BYTES,
          signal: AbortSignal.timeout(timeoutMs),
          ...(lookup && { lookup }),
        },
        (answer) => {
          resolve(answer);
          answer.on('error', () => {});
          // The body is not needed and may be endless.
          answer.destroy();
        },
      );
      call.on('error', reject);
      call.end(body);
    });
  }

  function reasonOf(error: unknown): string {
    if (error instanceof Error && error.name === 'AbortError')
      return `There was no answer within ${timeoutMs / 1000} s.`;
    const reason = messageOf(error);
    return / is not allowed/.test(reason)
      ? 'The host has an address that is private, or otherwise not of the internet: nothing is sent there.'
      : `The host could not be reached: ${reason}`;
  }
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): WebhookAnswer {
  const delivered = statusCode >= 200 && statusCode < 300;
  return {
    delivered,
    status: statusCode,
    error: delivered ? null : `The receiver answered with status ${statusCode}.`,
    retryAfterSeconds: delivered ? null : retryAfterSeconds(new Headers(textHeaders(headers))),
  };
}

function textHeaders(headers: IncomingMessage['headers']): Record<string, string> {
  const { 'retry-after': retryAfter, date } = headers;
  return { ...(retryAfter && { 'retry-after': retryAfter }), ...(date && { date }) };
}
