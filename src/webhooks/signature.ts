/**
 * The signature of a message as Standard Webhooks has it, version 1: HMAC-SHA256 over `id.timestamp.body`. By hand: the
 * library does no more, in JavaScript, and the tests check against it.
 */
import { createHmac } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from '../domain/webhook.ts';

export interface Message {
  /** The same for every try, so that a receiver tells repetitions. */
  id: string;
  /** JSON, exactly as it is sent. */
  body: string;
}

/**
 * @param secrets `whsec_…`; several while one replaces another: the receiver knows one of them
 * @param now milliseconds since 1970: receivers refuse what is older than some minutes
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
