/** Opens the quotas of clients from the configuration (decision §quotas). */
import type { Logger } from 'pino';
import type { Config } from '../../config/index.ts';
import type { Database } from '../../database/index.ts';
import type { ClientQuotas } from '../../gateway/quotas/client-quotas.ts';

const MINUTE_S = 60;
/** Rate of mails and of webhook messages. Only a client in an endless loop exceeds it. */
const PER_HOUR = { points: 1000, windowSeconds: 60 * MINUTE_S };

export function openQuotas(
  { quotas: { requestsPerMinute, uploadsAtOnce, recipientDomains } }: Config,
  { clientRate, clientSlots }: Pick<Database, 'clientRate' | 'clientSlots'>,
  logger: Logger,
): ClientQuotas {
  const onLost = (error: unknown) =>
    logger.warn({ err: error }, 'slots of clients for uploads end before their use');
  return {
    uploads: uploadsAtOnce === null ? null : clientSlots('upload', uploadsAtOnce, { onLost }),
    requests:
      requestsPerMinute === null
        ? null
        : clientRate('requests', { points: requestsPerMinute, windowSeconds: MINUTE_S }),
    mails: clientRate('mails', PER_HOUR),
    webhooks: clientRate('webhooks', PER_HOUR),
    recipientDomains,
  };
}
