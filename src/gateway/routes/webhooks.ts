/** Webhooks of tenants and their deliveries (decision §signed-webhooks), and the checks that uploads need as well. */
import {
  deleteWebhook,
  getWebhook,
  getWebhookDeliveries,
  postWebhookRedelivery,
  postWebhookSecret,
  postWebhookTest,
  putWebhook,
} from '../../contract/schemas/webhooks.ts';
import { TEST_EVENT } from '../../contract/statuses.ts';
import type { Webhook, WebhookDelivery } from '../../contract/types.ts';
import type { WebhookDeliveryRow, WebhookRow } from '../../database/entities/webhook.ts';
import { webhookMessageId } from '../../domain/ids.ts';
import { webhookUrlFault } from '../../domain/webhook.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { listedFor, requireOwned } from '../ownership.ts';
import { takeFromRate } from '../quotas/client-quotas.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';

export function webhookRoutes(dependencies: GatewayDependencies) {
  const { database, readAudit, webhookWorkflows } = dependencies;
  const { webhooks, webhookDeliveries } = database;
  const { requireEnabled, requireUrl } = createWebhookChecks(dependencies);
  const { webhooks: rate } = dependencies.quotas;

  /**
   * @param isOpened whether this request has made it pending: no workflow has it yet
   * @throws HttpError if the delivery cannot be started. An opened one is then recorded as failed
   */
  async function deliver(delivery: WebhookDeliveryRow, isOpened: boolean): Promise<void> {
    try {
      await webhookWorkflows.deliver(delivery);
    } catch (cause) {
      const reason = 'The message was not sent: Temporal does not answer.';
      if (isOpened) await webhookDeliveries.giveUp(delivery.uuid, reason);
      const message = `${reason} Send the request again.`;
      throw new HttpError('temporarily_unavailable', message, { cause });
    }
  }

  return [
    defineRoute({
      ...getWebhook,
      async handle({ caller }) {
        const row = await webhooks.find(caller.tenant);
        return { message: row ? 'Webhook.' : 'There is no webhook.', data: presentWebhook(row) };
      },
    }),
    defineRoute({
      ...putWebhook,
      async handle({ caller, body: { url } }) {
        requireEnabled();
        if (url !== null) requireUrl(url);
        const secret = await webhooks.register(caller.tenant, url, caller.actor);
        const message =
          secret === null ? 'The webhook is registered.' : 'Save the secret: it is not shown again.';
        return { message, data: presentWebhook(await webhooks.find(caller.tenant), secret) };
      },
    }),
    defineRoute({
      ...postWebhookSecret,
      async handle({ caller }) {
        const rotated = await webhooks.rotate(caller.tenant, caller.actor);
        if (!rotated) throw new HttpError('webhook_missing');
        return {
          message: 'Save the new secret: it is not shown again.',
          data: presentWebhook(rotated.webhook, rotated.secret),
        };
      },
    }),
    defineRoute({
      ...deleteWebhook,
      async handle({ caller }) {
        const removed = await webhooks.remove(caller.tenant, caller.actor);
        return { message: removed ? 'The webhook is deleted.' : 'There was no webhook.', data: { removed } };
      },
    }),
    defineRoute({
      ...postWebhookTest,
      async handle({ caller: { tenant, clientId, actor } }) {
        const { url } = (await webhooks.find(tenant)) ?? {};
        if (!url) throw new HttpError('webhook_missing');
        requireUrl(url);
        await takeFromRate(rate, clientId, 1);
        const payload = { type: TEST_EVENT, timestamp: new Date().toISOString(), data: {} } as const;
        const delivery = await webhookDeliveries.planTest({ tenant, clientId, url }, payload, actor);
        await deliver(delivery, true);
        return { message: 'The test message is being delivered.', data: presentDelivery(delivery) };
      },
    }),
    defineRoute({
      ...getWebhookDeliveries,
      async handle({ caller, query: { limit, before, import_id: importId } }) {
        const { tenant } = listedFor(caller);
        await readAudit.note(caller, null, { action: 'webhook.deliveries_read', importId: importId ?? null });
        const found = await webhookDeliveries.list({ tenant, importId }, { limit, before });
        return {
          message: 'Webhook deliveries.',
          data: { deliveries: found.deliveries.map(presentDelivery), next_before: found.nextBefore },
        };
      },
    }),
    defineRoute({
      ...postWebhookRedelivery,
      async handle({ caller, params: { id } }) {
        requireEnabled();
        const found = await webhookDeliveries.findById(id);
        const delivery = requireOwned(caller, found, 'Webhook delivery', id);
        await takeFromRate(rate, caller.clientId, 1);
        await deliver(delivery, await webhookDeliveries.reopen(delivery, caller.actor));
        const now = (await webhookDeliveries.findById(id)) ?? delivery;
        return { message: 'The message is being delivered.', data: presentDelivery(now) };
      },
    }),
  ];
}

/** @param secret if it has just been created */
function presentWebhook(row: WebhookRow | null, secret: string | null = null): Webhook {
  const until = row?.previousSecretValidUntil ?? null;
  return {
    url: row?.url ?? null,
    secret,
    previous_secret_valid_until: until !== null && until > new Date() ? until.toISOString() : null,
    updated_at: row?.updatedAt.toISOString() ?? null,
  };
}

function presentDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    webhook_id: webhookMessageId(row.uuid),
    import_id: row.packageImport ?? null,
    target: row.target,
    url: row.url,
    event: row.event,
    size_bytes: Buffer.byteLength(row.payload),
    status: row.status,
    attempts: row.attempts,
    last_attempt_at: row.lastAttemptAt?.toISOString() ?? null,
    last_status: row.lastStatus ?? null,
    last_body: row.lastBody ?? null,
    last_error: row.lastError ?? null,
    created_at: row.createdAt.toISOString(),
    delivered_at: row.deliveredAt?.toISOString() ?? null,
  };
}

export function createWebhookChecks({
  database,
  webhookRules,
  quotas,
}: Pick<GatewayDependencies, 'database' | 'webhookRules' | 'quotas'>) {
  const enabled = webhookRules.hosts.length > 0;

  /** @throws HttpError 400 if this service sends no webhooks */
  function requireEnabled(): void {
    if (!enabled) throw new HttpError('webhooks_disabled');
  }

  /** @throws HttpError 400 if messages may not be sent to the URL */
  function requireUrl(url: string): void {
    requireEnabled();
    const fault = webhookUrlFault(url, webhookRules);
    if (fault !== null) throw new HttpError('webhook_url_refused', `The webhook's URL ${fault}.`);
  }

  return {
    requireEnabled,
    requireUrl,

    /**
     * Takes the messages for the end of an import from the rate. The webhook belongs to the tenant, the rate to the
     * client.
     *
     * @param askedUrl URL that the upload names, beside the tenant's own; null for none
     * @throws HttpError 400 or 409 if a message to that URL cannot be sent, 429 beyond the rate
     */
    async takeForImport(
      { clientId, tenant }: Pick<Caller, 'clientId' | 'tenant'>,
      askedUrl: string | null,
    ): Promise<void> {
      if (askedUrl !== null) requireUrl(askedUrl);
      if (!enabled) return;
      const webhook = await database.webhooks.find(tenant);
      if (askedUrl !== null && webhook === null) throw new HttpError('webhook_missing');
      const urls = new Set([webhook?.url, askedUrl].filter((url) => url != null));
      await takeFromRate(quotas.webhooks, clientId, urls.size);
    },
  };
}
