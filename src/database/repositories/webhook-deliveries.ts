/** Webhook deliveries and their status: `pending → delivered | failed`. */
import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { PRODUCTS_FAILED_EVENT } from '../../contract/statuses.ts';
import type { WebhookPayload } from '../../contract/types.ts';
import { TENANT_SEPARATOR } from '../../domain/actors.ts';
import type { DeliveryAttempt } from '../../domain/webhook.ts';
import { given } from '../conditions.ts';
import { Webhook, WebhookDelivery, type WebhookDeliveryRow } from '../entities/webhook.ts';
import type { Orm } from '../orm.ts';
import { type Columns, statements } from '../statements.ts';
import { audit, changeAudited } from './audit-trail.ts';

/** A tenant's webhook, and the client whose rate its messages take. */
type Receiver = Columns<WebhookDeliveryRow, 'tenant' | 'clientId' | 'url'>;

const DAY_MS = 24 * 60 * 60 * 1000;

export function createWebhookDeliveryRepository(orm: Orm) {
  const db = statements(orm.em.fork());

  return {
    /**
     * Plans one message to the webhook of the import's tenant and one to the URL of the upload, if it differs.
     * Idempotent: existing deliveries are kept.
     *
     * @param occasion of the event; the import by default
     * @returns uuids of the pending deliveries
     */
    async plan(importId: number, payload: WebhookPayload, occasion = String(importId)): Promise<string[]> {
      return orm.em.fork().transactional(async (em) => {
        const receivers = sql`
          select i.id, i.client_id, i.tenant, one.target, one.url, ${occasion}::text
            from zip_import i left join webhook w on w.tenant = i.tenant
           cross join lateral (
             values ('client', nullif(w.url, i.webhook_url)), ('import', i.webhook_url)) one (target, url)
           where i.id = ${importId} and one.url is not null`;
        await insertDeliveries(em, payload, receivers);
        const where = { packageImport: importId, event: payload.type, occasion, status: 'pending' } as const;
        const rows = await em.find(WebhookDelivery, where, { orderBy: { id: 'asc' } });
        return rows.map(({ uuid }) => uuid);
      });
    },

    /** Plans one message to every webhook with a URL. Idempotent. */
    async planForAll(payload: WebhookPayload, occasion: string): Promise<void> {
      const receivers = sql`
        select null::bigint, split_part(tenant, ${TENANT_SEPARATOR}, 1), tenant, 'client', url, ${occasion}::text
          from webhook where url is not null`;
      await insertDeliveries(orm.em.fork(), payload, receivers);
    },

    /** Plans a message to every tenant whose last message about a pause has none about its end. Idempotent. */
    async planResumed(payload: WebhookPayload): Promise<void> {
      const receivers = sql`
        select null::bigint, p.client_id, p.tenant, p.target, w.url, p.occasion
          from (select distinct on (tenant) client_id, tenant, target, occasion from webhook_delivery
                 where event = 'inserting.paused' order by tenant, id desc) p
          join webhook w on w.tenant = p.tenant
         where w.url is not null`;
      await insertDeliveries(orm.em.fork(), payload, receivers);
    },

    /**
     * Imports under way with failed products, of which a receiver lacks the message of the present occasion. An
     * occasion is the import and the number of doublings of its failed products. Cancelled inserts do not count: those
     * of a cancelled import end shortly before it, and the message about its end includes them.
     */
    async failingImports(limit: number): Promise<{ importId: number; failed: number; occasion: string }[]> {
      return db.rows`
        select i.id as import_id, i.failed, i.occasion
          from (select i.id, i.tenant, i.webhook_url, count(*)::int as failed, i.id || ':' || floor(log(2, count(*))) as occasion
                  from zip_import i join submission s on s.zip_import_id = i.id
                 where i.completed_at is null and s.status = 'regulator_insert_failed'
                   and s.failure_code is distinct from 'cancelled'
                 group by i.id) i
          left join webhook w on w.tenant = i.tenant
         where num_nonnulls(nullif(w.url, i.webhook_url), i.webhook_url) > (
           select count(*) from webhook_delivery d
            where d.event = ${PRODUCTS_FAILED_EVENT} and d.occasion = i.occasion and d.tenant = i.tenant)
         limit ${limit}
      `;
    },

    /**
     * Pending messages of the last day, by an index, without an attempt: their workflow may be missing. Newest first:
     * thousands of older ones may wait for one slow receiver.
     */
    async untried(limit: number): Promise<WebhookDeliveryRow[]> {
      const createdAt = { $gt: new Date(Date.now() - DAY_MS) };
      const where = { createdAt, status: 'pending', attempts: 0 } as const;
      return orm.em.fork().find(WebhookDelivery, where, { orderBy: { id: 'desc' }, limit });
    },

    /** Plans a test message. */
    async planTest(to: Receiver, payload: WebhookPayload, actor: string): Promise<WebhookDeliveryRow> {
      return orm.em.fork().transactional(async (em) => {
        const uuid = randomUUID();
        const delivery = em.create(WebhookDelivery, {
          ...to,
          uuid,
          target: 'client',
          event: payload.type,
          occasion: uuid,
          payload: JSON.stringify(payload),
          status: 'pending',
          createdAt: new Date(),
        });
        await em.flush();
        await audit(em, { actor, action: 'webhook.test', detail: { id: delivery.id } });
        return delivery;
      });
    },

    /** Null for an unknown or removed delivery. */
    find: (uuid: string) => orm.em.fork().findOne(WebhookDelivery, { uuid }),

    findById: (id: number) => orm.em.fork().findOne(WebhookDelivery, { id }),

    /** Newest first, with ids below `before`. @param filter undefined values mean all tenants and all imports */
    async list(
      { tenant, importId }: { tenant?: string | undefined; importId?: number | undefined },
      { limit, before }: { limit: number; before?: number | undefined },
    ): Promise<{ deliveries: WebhookDeliveryRow[]; nextBefore: number | null }> {
      const where = given({
        tenant,
        packageImport: importId,
        id: before === undefined ? before : { $lt: before },
      });
      const newest = { orderBy: { id: 'desc' }, limit: limit + 1 } as const;
      const rows = await orm.em.fork().find(WebhookDelivery, where, newest);
      const deliveries = rows.slice(0, limit);
      return { deliveries, nextBefore: rows.length > limit ? (deliveries.at(-1)?.id ?? null) : null };
    },

    async recordAttempt(uuid: string, { delivered, status, body, error }: DeliveryAttempt): Promise<void> {
      await db.run`
        update webhook_delivery
           set attempts = attempts + 1, last_attempt_at = now(), last_status = ${status}, last_body = ${body},
               last_error = ${error},
               status = case when ${delivered} then 'delivered' else status end,
               delivered_at = case when ${delivered} then now() else delivered_at end
         where uuid = ${uuid}
      `;
    },

    /** Ends a delivery as failed. The reason of its last attempt is kept. */
    async giveUp(uuid: string, reason: string): Promise<void> {
      await db.run`
        update webhook_delivery set status = 'failed', last_error = coalesce(last_error, ${reason})
         where uuid = ${uuid} and status = 'pending'
      `;
    },

    /**
     * Makes a delivery pending again, to the present URL of its tenant's webhook. Does nothing to a pending delivery.
     * Returns whether it was changed.
     */
    async reopen({ id, packageImport, tenant, target }: WebhookDeliveryRow, actor: string): Promise<boolean> {
      const reopening = async (em: EntityManager) => {
        const webhook = target === 'client' ? await em.findOne(Webhook, { tenant }) : null;
        return em.nativeUpdate(
          WebhookDelivery,
          { id, status: { $ne: 'pending' } },
          { status: 'pending', ...(webhook?.url && { url: webhook.url }) },
        );
      };
      const entry = { actor, action: 'webhook.redelivery', importId: packageImport ?? null, detail: { id } };
      return changeAudited(orm, reopening, entry);
    },

    /** Removes old deliveries, except those of an event that lasts: it would be announced again. Returns their number. */
    async removeBefore(time: Date): Promise<number> {
      return db.run`
        delete from webhook_delivery d
         where d.created_at < least(${time}::timestamptz, (select since from inserting_pause),
                                    (select expires_at from regulator_session where expires_at < now()))
           and not exists (select from zip_import i where i.id = d.zip_import_id and i.completed_at is null)
      `;
    },
  };
}

/**
 * Records one pending message to each receiver. Existing deliveries are kept.
 *
 * @param receivers query of their import, client, tenant, target, URL and occasion
 */
async function insertDeliveries(em: EntityManager, payload: WebhookPayload, receivers: RawBuilder<unknown>) {
  await statements(em).run`
    insert into webhook_delivery (uuid, zip_import_id, client_id, tenant, target, url, occasion, event, payload, status, created_at)
    select gen_random_uuid(), r.*, ${payload.type}, ${JSON.stringify(payload)}::jsonb, 'pending', now()
      from (${receivers}) r
    on conflict (event, occasion, tenant, target) do nothing
  `;
}
