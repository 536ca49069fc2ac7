/** Messages to the webhooks of clients, and how far each is: `pending → delivered | failed`. */
import type { WebhookPayload } from '../../domain/webhook.ts';
import { audit } from '../audit.ts';
import { PackageImport } from '../entities/package-import.ts';
import { Webhook } from '../entities/webhook.ts';
import { WebhookDelivery, type WebhookDeliveryRow } from '../entities/webhook-delivery.ts';
import type { Orm } from '../orm.ts';

/** What came of a try. */
export interface DeliveryTry {
  delivered: boolean;
  /** HTTP; null where there was no answer. */
  status: number | null;
  error: string | null;
}

export function createWebhookDeliveryRepository(orm: Orm) {
  return {
    /**
     * One message to the webhook of the import's client and one to that of the upload, where there are such and they
     * differ. May be repeated: what is there stays.
     *
     * @returns uuids of those that have to be delivered
     */
    async plan(importId: number, payload: WebhookPayload): Promise<string[]> {
      return orm.em.fork().transactional(async (em) => {
        await em.execute(
          `insert into webhook_delivery (uuid, zip_import_id, target, url, event, payload, status, created_at)
           select gen_random_uuid(), i.id, one.target, one.url, ?, ?, 'pending', now()
             from zip_import i left join webhook w on w.client_id = i.client_id
            cross join lateral (values ('client', nullif(w.url, i.webhook_url)), ('import', i.webhook_url)) one (target, url)
            where i.id = ? and one.url is not null
           on conflict (zip_import_id, target, event) do nothing`,
          [payload.type, JSON.stringify(payload), importId],
        );
        const where = { packageImport: importId, event: payload.type, status: 'pending' } as const;
        const rows = await em.find(WebhookDelivery, where, { orderBy: { id: 'asc' } });
        return rows.map(({ uuid }) => uuid);
      });
    },

    /** With the client that it is for; null where there is no such delivery, or none any more. */
    async find(uuid: string): Promise<{ delivery: WebhookDeliveryRow; clientId: string } | null> {
      const em = orm.em.fork();
      const delivery = await em.findOne(WebhookDelivery, { uuid });
      if (!delivery) return null;
      const { clientId } = await em.findOneOrFail(PackageImport, { id: delivery.packageImport });
      return { delivery, clientId };
    },

    async findById(id: number): Promise<WebhookDeliveryRow | null> {
      return orm.em.fork().findOne(WebhookDelivery, { id });
    },

    /** Of an import, newest first. `before` is the id below which to go on. */
    async list(
      importId: number,
      page: { limit: number; before?: number | undefined },
    ): Promise<WebhookDeliveryRow[]> {
      const where = {
        packageImport: importId,
        ...(page.before !== undefined && { id: { $lt: page.before } }),
      };
      return orm.em.fork().find(WebhookDelivery, where, { orderBy: { id: 'desc' }, limit: page.limit });
    },

    async recordTry(uuid: string, { delivered, status, error }: DeliveryTry): Promise<void> {
      await orm.em.fork().execute(
        `update webhook_delivery set tries = tries + 1, last_try_at = now(), last_status = ?, last_error = ?,
                status = case when ? then 'delivered' else status end,
                delivered_at = case when ? then now() else delivered_at end
          where uuid = ?`,
        [status, error, delivered, delivered, uuid],
      );
    },

    /** It is not tried any more. The reason of its last try stays, if there was one. */
    async giveUp(uuid: string, reason: string): Promise<void> {
      await orm.em
        .fork()
        .execute(
          `update webhook_delivery set status = 'failed', last_error = coalesce(last_error, ?) where uuid = ? and status = 'pending'`,
          [reason, uuid],
        );
    },

    /** It is to be delivered once more, to where its client's webhook is by now. Does nothing to one that is pending. */
    async reopen({ id, packageImport, target }: WebhookDeliveryRow, actor: string): Promise<void> {
      await orm.em.fork().transactional(async (em) => {
        const { clientId } = await em.findOneOrFail(PackageImport, { id: packageImport });
        const webhook = target === 'client' ? await em.findOne(Webhook, { clientId }) : null;
        const changed = await em.nativeUpdate(
          WebhookDelivery,
          { id, status: { $ne: 'pending' } },
          { status: 'pending', ...(webhook?.url && { url: webhook.url }) },
        );
        if (changed > 0)
          await audit(em, [{ actor, action: 'webhook.redelivery', importId: packageImport, detail: { id } }]);
      });
    },

    /** Forgets what was told long ago. Returns how many. */
    async removeBefore(time: Date): Promise<number> {
      return orm.em.fork().nativeDelete(WebhookDelivery, { createdAt: { $lt: time } });
    },
  };
}

export type WebhookDeliveryRepository = ReturnType<typeof createWebhookDeliveryRepository>;
