/**
 * Webhooks: messages to clients (decision §signed-webhooks). Their form is that of
 * Standard Webhooks (https://www.standardwebhooks.com).
 */

import { isLoopback } from '../common/network.ts';
import { WEBHOOK_URL_LENGTH } from '../contract/limits.ts';

/** Prefix of a secret; the rest is base64. */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** The permitted receivers of messages. */
export interface WebhookRules {
  /** Hosts as in a URL: `hooks.company.example`, with a port other than 443. An empty list turns webhooks off. */
  readonly hosts: readonly string[];
  /** Whether a listed host may be this machine, also over http: for trials. */
  readonly loopback: boolean;
}

/** Result of an attempt to deliver a message. */
export interface DeliveryAttempt {
  delivered: boolean;
  /** HTTP status; null without an answer. */
  status: number | null;
  /** The first bytes of the answer's body as text, printable; null without an answer. */
  body: string | null;
  /** Message for people; null if the message was delivered. */
  error: string | null;
}

/** The reason against a URL, as the end of a sentence that begins with the URL; null if messages may go there. */
export function webhookUrlFault(text: string, { hosts, loopback }: WebhookRules): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || text.length > WEBHOOK_URL_LENGTH)
    return `must be an absolute URL of at most ${WEBHOOK_URL_LENGTH} characters`;
  const local = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(local && loopback && url.protocol === 'http:')) return 'must be https';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (url.hash !== '') return 'must not have a fragment';
  if (!hosts.includes(url.host) || (local && !loopback))
    return `has the host ${url.host}, which the operators do not allow`;
  return null;
}
