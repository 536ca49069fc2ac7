/**
 * Webhooks: messages by which a client hears of the end of its imports (decision §signed-webhooks). Their form is that of
 * Standard Webhooks (https://www.standardwebhooks.com).
 */
import { WEBHOOK_URL_LENGTH } from '../contract/limits.ts';
import type { WebhookEvent } from '../contract/statuses.ts';
import { isLoopback } from './loopback.ts';
import type { ImportCounts } from './package-import.ts';

/** How a secret begins; the rest is base64. */
export const WEBHOOK_SECRET_PREFIX = 'whsec_';

/** Where messages may go. */
export interface WebhookRules {
  /** As in a URL: `hooks.company.example`, with a port where it is not 443; none where there are no webhooks. */
  readonly hosts: readonly string[];
  /** Whether a listed host may be this machine, by http as well: for trying things out. */
  readonly loopback: boolean;
}

/** Small: whoever wants more asks for the import. */
export interface WebhookPayload {
  type: WebhookEvent;
  /** ISO 8601, UTC: when the import was over. */
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
    /** Of the import in the API; null where nobody has said how clients reach it. */
    url: string | null;
  };
}

/** Why no message may go to a URL, as the end of a sentence that begins with it; null where it may. */
export function webhookUrlFault(text: string, { hosts, loopback }: WebhookRules): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || text.length > WEBHOOK_URL_LENGTH)
    return `must be an absolute URL of at most ${WEBHOOK_URL_LENGTH} characters`;
  const local = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(local && loopback && url.protocol === 'http:')) return 'must be https';
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password in it';
  if (url.hash !== '') return 'must have no fragment';
  if (!hosts.includes(url.host) || (local && !loopback))
    return `is at ${url.host}, which is none of the hosts that the operators allow`;
  return null;
}
