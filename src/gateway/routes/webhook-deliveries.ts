/** The messages that the end of an import was told by: how far they are, and having one sent again. */
import { z } from 'zod';
import { NotFound } from '../../domain/errors.ts';
import { PERMISSIONS } from '../../domain/permissions.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { ownedBy } from '../ownership.ts';
import { presentDelivery } from '../presenters/webhook.ts';
import { createReadTrail } from '../read-trail.ts';
import { defineRoute } from '../route.ts';
import { idParams, nextBefore, pageOf, pageQuery } from '../schemas/common.ts';
import { webhookDelivery } from '../schemas/webhook.ts';
import type { Caller } from '../tokens/access-token.ts';
import { createWebhookChecks } from '../webhook-checks.ts';

const path = '/regulator/package-imports/{id}/webhook-deliveries';
const tag = 'Webhooks';

const deliveryParams = z.object({ ...idParams.shape, delivery_id: idParams.shape.id });

export function webhookDeliveryRoutes(dependencies: GatewayDependencies) {
  const { database, webhookWorkflows } = dependencies;
  const { requireEnabled, takeMessages } = createWebhookChecks(dependencies);
  const reads = createReadTrail(database.auditTrail);
  const ownedImport = async (caller: Caller, id: number) =>
    ownedBy(caller, await database.imports.find(id), 'Package import', id);

  return [
    defineRoute({
      method: 'get',
      path,
      operationId: 'getWebhookDeliveries',
      tag,
      summary: 'The messages about an import, newest first',
      permission: PERMISSIONS.readImports,
      params: idParams,
      query: z.object(pageQuery.shape),
      answers: {
        200: {
          description: 'One page',
          data: z.object({ deliveries: z.array(webhookDelivery), next_before: nextBefore }),
        },
      },
      errors: { 404: 'No such import, or not yours' },
      async handle({ caller, params: { id }, query: { limit, before } }) {
        const record = await ownedImport(caller, id);
        await reads.note(caller, record.clientId, { action: 'webhook.deliveries_read', importId: id });
        const rows = await database.webhookDeliveries.list(id, { limit: limit + 1, before });
        const { page, next_before } = pageOf(rows, limit);
        return {
          message: 'Webhook deliveries.',
          data: { deliveries: page.map(presentDelivery), next_before },
        };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${path}/{delivery_id}/actions/redeliver`,
      operationId: 'postWebhookRedelivery',
      tag,
      summary: 'Send a message again',
      description:
        "The same message under the same `webhook-id`, tried for another day; that of the client's webhook goes to where that " +
        'is by now. One that is still being tried goes on.',
      permission: PERMISSIONS.importPackage,
      params: deliveryParams,
      answers: { 202: { description: 'It is under way', data: webhookDelivery } },
      errors: { 404: 'No such import or delivery, or not yours' },
      async handle({ caller, params: { id, delivery_id } }) {
        requireEnabled();
        const { clientId } = await ownedImport(caller, id);
        const delivery = await database.webhookDeliveries.findById(delivery_id);
        if (delivery?.packageImport !== id) throw new NotFound('Webhook delivery', delivery_id);
        await takeMessages(clientId, 1);
        await database.webhookDeliveries.reopen(delivery, caller.actor);
        await webhookWorkflows.deliver({ uuid: delivery.uuid, importId: id, clientId });
        const now = (await database.webhookDeliveries.findById(delivery_id)) ?? delivery;
        return { message: 'The message is under way.', data: presentDelivery(now) };
      },
    }),
  ];
}
