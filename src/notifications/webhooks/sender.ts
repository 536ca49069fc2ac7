/**
 * One attempt to send a message to a client's URL. The client chooses the target, so the address is checked at
 * connection time, after the DNS lookup. No answer of a name server can lead to a private address.
 * Redirects are not followed, and only the beginning of the answer is read (decision §signed-webhooks).
 */

import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isLoopback, retryAfterSeconds } from '../../common/network.ts';
import { excerpt, messageOf } from '../../common/text.ts';
import { type DeliveryAttempt, WEBHOOK_SECRET_PREFIX } from '../../domain/webhook.ts';

/** Limit for a whole attempt. */
const TIMEOUT_MS = 10_000;
/** Maximum size of the answer's head. */
const MAX_HEADER_BYTES = 16 * 1024;

/** Bytes of the answer's body that are kept, and the time for them after its head. */
const BODY_BYTES = 1024;
const BODY_TIMEOUT_MS = 1_000;

export interface WebhookAnswer extends DeliveryAttempt {
  /** Seconds, if the receiver asked for a pause. */
  retryAfterSeconds: number | null;
}

export type WebhookSender = ReturnType<typeof createWebhookSender>;

interface WebhookSenderOptions {
  userAgent: string;
  timeoutMs?: number;
  /** Replaces the system's DNS lookup. */
  lookup?: RequestOptions['lookup'];
}

/** Only a URL that names this machine itself may reach it (see `webhookUrlFault`). */
const LOOPBACK = ['127.0.0.1', '::1'];

export function createWebhookSender(options: WebhookSenderOptions) {
  const { userAgent, timeoutMs = TIMEOUT_MS, lookup } = options;
  return {
    /** Never rejects: a receiver that does not answer is normal. */
    async send(url: string, message: Message, secrets: readonly string[]): Promise<WebhookAnswer> {
      const target = new URL(url);
      const headers = {
        ...signedHeaders(message, secrets),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(message.body),
        'user-agent': userAgent,
      };
      try {
        const answer = await post(target, headers, message.body);
        return { ...answerOf(answer), body: await beginningOf(answer) };
      } catch (error) {
        return {
          delivered: false,
          status: null,
          body: null,
          error: reasonOf(error),
          retryAfterSeconds: null,
        };
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
        resolve,
      );
      call.on('error', reject);
      // Node reports no error after an answer with status 101. It closes the connection.
      call.on('close', () => reject(new Error('the connection ended without an answer')));
      call.end(body);
    });
  }

  function reasonOf(error: unknown): string {
    if (error instanceof Error && error.name === 'AbortError')
      return `There was no answer within ${timeoutMs / 1000} s.`;
    const reason = messageOf(error);
    return / is not allowed/.test(reason)
      ? 'The host has a private or otherwise non-public address. No messages are sent there.'
      : `The host could not be reached: ${reason}`;
  }
}

/** Reads no more than it returns: a body may be endless, slow, or break off. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => answer.destroy(), BODY_TIMEOUT_MS);
  let body = Buffer.alloc(0);
  try {
    for await (const chunk of answer) {
      body = Buffer.concat([body, chunk.subarray(0, BODY_BYTES - body.length)]);
      if (body.length === BODY_BYTES) break;
    }
  } catch {
    // The part that has arrived counts.
  } finally {
    clearTimeout(timer);
    answer.destroy();
  }
  return excerpt(body.toString(), BODY_BYTES);
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): Omit<WebhookAnswer, 'body'> {
  const delivered = statusCode >= 200 && statusCode < 300;
  const { 'retry-after': retryAfter = '', date = '' } = headers;
  return {
    delivered,
    status: statusCode,
    error: delivered ? null : `The receiver answered with status ${statusCode}.`,
    retryAfterSeconds: delivered ? null : retryAfterSeconds(new Headers({ 'retry-after': retryAfter, date })),
  };
}

interface Message {
  /** The same for every attempt, so that a receiver can recognise repetitions. */
  id: string;
  /** JSON, exactly as it is sent. */
  body: string;
}

/**
 * Signs a message by Standard Webhooks, version 1: HMAC-SHA256 over `id.timestamp.body`. Implemented here, because the
 * library does no more, and in JavaScript. The tests check against it.
 *
 * @param secrets `whsec_…`; several during a rotation, of which the receiver knows one
 * @param now milliseconds since 1970; receivers refuse messages that are some minutes old
 */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], now: number = Date.now()) {
  const timestamp = String(Math.floor(now / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, signed)}`).join(' '),
  };
}

function signature(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
