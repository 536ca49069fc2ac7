/**
 * Webhooks: messages that tell a client about the end of its imports (decision §signed-webhooks). Their form is that of
 * Standard Webhooks (https://www.standardwebhooks.com).
 */

import { isLoopback } from '../common/network.ts';
import { WEBHOOK_URL_LENGTH } from '../contract/limits.ts';
import type { WebhookEvent } from '../contract/statuses.ts';
import type { ImportCounts } from './package-import.ts';

/** Prefix of a secret; the rest is base64. */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** The permitted receivers of messages. */
export interface WebhookRules {
  /** Hosts as in a URL: `hooks.company.example`, with a port other than 443. An empty list turns webhooks off. */
  readonly hosts: readonly string[];
  /** Whether a listed host may be this machine, also over http: for trials. */
  readonly loopback: boolean;
}

/** A small message: the client reads further details from the API. */
export interface WebhookPayload {
  type: WebhookEvent;
  /** ISO 8601, UTC: the end of the import. */
  timestamp: string;
  data: {
    import_id: number;
    counts: {
      created: ImportCounts['created'];
      skipped: ImportCounts['skipped'];
      failed: ImportCounts['failed'];
      queued: ImportCounts['queued'];
      queue_failed: ImportCounts['queueFailed'];
      inserted: number;
      insert_failed: number;
    };
    /** URL of the import in the API; null if the public URL is not configured. */
    url: string | null;
  };
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
