/** The quotas of clients, from the configuration (architecture §quotas). */
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { ClientQuotas } from '../gateway/quotas/client-quotas.ts';

export function openQuotas(
  { quotas, webhooks }: Config,
  { clientRate, clientSlots }: Pick<Database, 'clientRate' | 'clientSlots'>,
  logger: Logger,
): ClientQuotas {
  const rate = (name: string, points: number | null, windowSeconds: number) =>
    points === null ? null : clientRate(name, { points, windowSeconds });
  const slots = (kind: string, limit: number | null) =>
    limit === null
      ? null
      : clientSlots(kind, limit, {
          onLost: (error) => logger.warn({ err: error, kind }, 'slots of clients end before their use'),
        });
  return {
    requests: rate('requests', quotas.requestsPerMinute, 60),
    uploads: slots('upload', quotas.uploads),
    dryRuns: slots('dry-run', quotas.dryRuns),
    mails: rate('mails', quotas.mailsPerHour, 3600),
    webhooks: rate('webhooks', webhooks.perHour, 3600),
    storedBytes: quotas.storedBytes,
    recipientDomains: quotas.recipientDomains,
  };
}
