/**
 * Signs a message by Standard Webhooks, version 1: HMAC-SHA256 over `id.timestamp.body`. Implemented here, because the
 * library does no more, and in JavaScript. The tests check against it.
 */
import { createHmac } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from '../../domain/webhook.ts';

export interface Message {
  /** The same for every attempt, so that a receiver can recognise repetitions. */
  id: string;
  /** JSON, exactly as it is sent. */
  body: string;
}

/**
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
