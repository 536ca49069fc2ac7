/** Webhook deliveries of an import: their state, and redelivery. */
import { getWebhookDeliveries, postWebhookRedelivery } from '../../contract/schemas/webhook-deliveries.ts';
import type { WebhookDelivery } from '../../contract/types.ts';
import type { WebhookDeliveryRow } from '../../database/entities/webhook.ts';
import { NotFound } from '../../domain/client-errors.ts';
import { webhookMessageId } from '../../domain/ids.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { pageOf } from '../links.ts';
import { ownedBy } from '../ownership.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';
import type { Caller } from '../tokens/access-token.ts';
import { createWebhookChecks } from '../webhook-checks.ts';

export function webhookDeliveryRoutes(dependencies: GatewayDependencies) {
  const { database, webhookWorkflows } = dependencies;
  const { requireEnabled, takeMessages } = createWebhookChecks(dependencies);
  const reads = createReadTrail(database.auditTrail);
  const ownedImport = async (caller: Caller, id: number) =>
    ownedBy(caller, await database.imports.find(id), 'Package import', id);

  return [
    defineRoute({
      ...getWebhookDeliveries,
      async handle({ caller, params: { id }, query: { limit, before } }) {
        const record = await ownedImport(caller, id);
        await reads.note(caller, record.tenant, { action: 'webhook.deliveries_read', importId: id });
        const rows = await database.webhookDeliveries.list(id, { limit: limit + 1, before });
        const { page, next_before } = pageOf(rows, limit);
        return {
          message: 'Webhook deliveries.',
          data: { deliveries: page.map(presentDelivery), next_before },
        };
      },
    }),
    defineRoute({
      ...postWebhookRedelivery,
      async handle({ caller, params: { id, delivery_id } }) {
        requireEnabled();
        const { clientId } = await ownedImport(caller, id);
        const delivery = await database.webhookDeliveries.findById(delivery_id);
        if (delivery?.packageImport !== id) throw new NotFound('Webhook delivery', delivery_id);
        await takeMessages(clientId, 1);
        await database.webhookDeliveries.reopen(delivery, caller.actor);
        await webhookWorkflows.deliver({ uuid: delivery.uuid, importId: id, clientId });
        const now = (await database.webhookDeliveries.findById(delivery_id)) ?? delivery;
        return { message: 'The message is being delivered.', data: presentDelivery(now) };
      },
    }),
  ];
}

function presentDelivery(row: WebhookDeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    webhook_id: webhookMessageId(row.uuid),
    import_id: row.packageImport,
    target: row.target,
    url: row.url,
    event: row.event,
    status: row.status,
    tries: row.tries,
    last_try_at: row.lastTryAt?.toISOString() ?? null,
    last_status: row.lastStatus ?? null,
    last_error: row.lastError ?? null,
    created_at: row.createdAt.toISOString(),
    delivered_at: row.deliveredAt?.toISOString() ?? null,
  };
}
