/**
 * One try to bring a message to a client's URL. A client chooses where this process connects to, so the address is judged
 * when it is connected to, behind the look-up of the name: whatever a name server answers, nothing private is reached.
 * No redirect is followed, and of the answer only its head is taken (decision §signed-webhooks).
 */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { messageOf } from '../domain/errors.ts';
import { isLoopback } from '../domain/loopback.ts';
import { retryAfterSeconds } from '../domain/retry-after.ts';
import { type Message, signedHeaders } from './signature.ts';

/** For the whole of a try. */
const TIMEOUT_MS = 10_000;
/** What an answer may have in its head. */
const MAX_HEADER_BYTES = 16 * 1024;

/** What came of a try. */
export interface WebhookAnswer {
  delivered: boolean;
  /** Null where there was no answer. */
  status: number | null;
  /** For people; null for a message that was delivered. */
  error: string | null;
  /** Seconds, where the receiver has asked for a pause. */
  retryAfterSeconds: number | null;
}

export interface WebhookSender {
  /** Never rejects: that a receiver does not answer is nothing out of the ordinary. */
  send(url: string, message: Message, secrets: readonly string[]): Promise<WebhookAnswer>;
}

export interface WebhookSenderOptions {
  userAgent: string;
  timeoutMs?: number;
  /** In place of the system's look-up of names. */
  lookup?: RequestOptions['lookup'];
}

/** Only what the URL itself calls this machine may be this machine (see `webhookUrlFault`). */
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
          ...{ method: 'POST', headers, agent, maxHeaderSize: MAX_HEADER_BYTES },
          signal: AbortSignal.timeout(timeoutMs),
          ...(lookup && { lookup }),
        },
        (answer) => {
          resolve(answer);
          answer.on('error', () => {});
          // What it says besides is nobody's business, and may be endless.
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
