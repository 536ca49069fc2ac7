/** Checks of webhooks (decision §signed-webhooks): an allowlist of hosts, empty for none, and a rate limit per hour. */
import type { WebhookRow } from '../database/entities/webhook.ts';
import { webhookUrlFault } from '../domain/webhook.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { HttpError } from './http-error.ts';
import { takeFromRate } from './quotas/client-quotas.ts';
import type { Caller } from './tokens/access-token.ts';

/** The webhook belongs to the tenant, the rate to the client. */
type Sender = Pick<Caller, 'clientId' | 'tenant'>;

export function createWebhookChecks({
  database,
  webhookRules,
  quotas,
}: Pick<GatewayDependencies, 'database' | 'webhookRules' | 'quotas'>) {
  const { webhooks: rate } = quotas;
  const enabled = webhookRules.hosts.length > 0;

  /** @throws HttpError 400 if this service sends no webhooks */
  function requireEnabled(): void {
    if (enabled) return;
    const message = 'Webhooks are turned off in this service: its operators allow no hosts (WEBHOOK_HOSTS).';
    throw new HttpError('webhooks_disabled', message);
  }

  /** @throws HttpError 400 if messages may not be sent to the URL */
  function requireUrl(url: string): void {
    requireEnabled();
    const fault = webhookUrlFault(url, webhookRules);
    if (fault !== null) throw new HttpError('webhook_url_refused', `The webhook's URL ${fault}.`);
  }

  /** @throws HttpError 429 if the client has used up its messages of this hour */
  async function takeMessages(clientId: string, messages: number): Promise<void> {
    await takeFromRate(rate, clientId, messages);
  }

  return {
    requireEnabled,
    requireUrl,
    takeMessages,

    /** @throws HttpError 400 or 409 if the upload asks for a message that cannot be sent */
    async requireWebhook({ tenant }: Sender, { webhookUrl }: { webhookUrl: string | null }): Promise<void> {
      if (webhookUrl === null) return;
      requireUrl(webhookUrl);
      if ((await database.webhooks.find(tenant)) === null) throw webhookMissing();
    },

    /** Takes the messages for the end of an import from the rate. @throws HttpError 429 */
    async take({ clientId, tenant }: Sender, { webhookUrl }: { webhookUrl: string | null }): Promise<void> {
      if (!enabled) return;
      const webhook: WebhookRow | null = await database.webhooks.find(tenant);
      const urls = new Set([webhook?.url, webhookUrl].filter((url) => url != null));
      await takeMessages(clientId, urls.size);
    },
  };
}

export function webhookMissing(): HttpError {
  return new HttpError(
    'webhook_missing',
    'This client has no webhook, so there is no secret to sign messages with. Register one with PUT /regulator/webhook.',
  );
}
