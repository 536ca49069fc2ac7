import type { WebhookDelivery } from '../../contract/schemas/webhook-deliveries.ts';
import type { Webhook } from '../../contract/schemas/webhooks.ts';
import type { WebhookRow } from '../../database/entities/webhook.ts';
import type { WebhookDeliveryRow } from '../../database/entities/webhook-delivery.ts';
import { webhookMessageId } from '../../domain/ids.ts';

/** @param secret where it has just been made */
export function presentWebhook(row: WebhookRow, secret: string | null): Webhook {
  const until = row.previousSecretValidUntil ?? null;
  return {
    url: row.url ?? null,
    secret,
    previous_secret_valid_until: until !== null && until > new Date() ? until.toISOString() : null,
    updated_at: row.updatedAt.toISOString(),
  };
}

export function presentDelivery(row: WebhookDeliveryRow): WebhookDelivery {
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
