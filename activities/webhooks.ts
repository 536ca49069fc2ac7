/** Webhook messages: those about the end of imports are planned, and all are sent (decision §signed-webhooks). */
import { activityInfo } from '@temporalio/activity';
import type { WebhookPayload } from '../src/contract/types.ts';
import type { WebhookDeliveryRow } from '../src/database/entities/webhook.ts';
import { DomainError } from '../src/domain/errors.ts';
import { webhookMessageId } from '../src/domain/ids.ts';
import type { ImportCounts } from '../src/domain/package-import.ts';
import { type DeliveryAttempt, webhookUrlFault } from '../src/domain/webhook.ts';
import type { ImportDependencies } from './dependencies.ts';

/** A message may not go to its URL, or cannot be signed. A retry would fail in the same way. */
class WebhookRefused extends DomainError {
  readonly permanent = true;
}

/** The receiver of a message did not accept it. The cause is outside the service, so no alarm is raised. */
class WebhookUndelivered extends DomainError {
  readonly permanent = false;
  override readonly expected = true;
}

/** The client has the maximum number of messages in delivery. This message waits for them. */
class ClientBusy extends DomainError {
  readonly permanent = false;
  override readonly expected = true;
}

type WebhookDependencies<Repository extends keyof ImportDependencies['database']> = Pick<
  ImportDependencies,
  'webhooks'
> & { database: Pick<ImportDependencies['database'], Repository> };

export function createPlanWebhooks({
  database,
  webhooks,
}: WebhookDependencies<'imports' | 'webhookDeliveries'>) {
  /**
   * Called after the end of the import is recorded. Idempotent.
   *
   * @returns uuids of the deliveries to start
   */
  return async function planWebhooks(importId: number, counts: ImportCounts): Promise<string[]> {
    if (webhooks.rules.hosts.length === 0) return [];
    const record = await database.imports.find(importId);
    const { status, completedAt } = record ?? {};
    if (!completedAt || (status !== 'completed' && status !== 'failed' && status !== 'cancelled')) return [];
    const payload: WebhookPayload = {
      type: `package_import.${status}`,
      timestamp: completedAt.toISOString(),
      data: {
        import_id: importId,
        counts: {
          created: counts.created,
          skipped: counts.skipped,
          failed: counts.failed,
          queued: counts.queued,
          queue_failed: counts.queueFailed,
          inserted: counts.inserted,
          insert_failed: counts.insertFailed,
        },
        url: webhooks.importUrl(importId),
      },
    };
    return database.webhookDeliveries.plan(importId, payload);
  };
}

/** The record of an attempt that did not reach the receiver. */
const NOTHING_SENT: DeliveryAttempt = { delivered: false, status: null, body: null, error: null };
/** The status of a receiver that no longer exists (Standard Webhooks). */
const GONE = 410;
/** Longest `Retry-After` that is obeyed, in seconds. */
const LONGEST_RETRY_AFTER_S = 3600;
/** Pauses between the attempts that the receiver did not accept, in seconds. */
const FIRST_PAUSE_S = 5;
const LONGEST_PAUSE_S = 2 * 3600;
/** Longest pause while other messages to the client use its slots, in seconds. */
const LONGEST_BUSY_PAUSE_S = 60;

export function createDeliverWebhook({
  database,
  webhooks,
}: WebhookDependencies<'webhooks' | 'webhookDeliveries'>) {
  const { rules, sender, slots } = webhooks;
  const { webhookDeliveries } = database;

  /**
   * Sends a message to its URL, signed with the tenant's secrets.
   *
   * @returns the record of the attempt, and its failure; null if the message was delivered
   */
  async function send({ uuid, tenant, url, payload, attempts }: WebhookDeliveryRow) {
    const refused = (reason: string, answer = NOTHING_SENT) => ({
      answer,
      failure: new WebhookRefused(reason),
    });
    const fault = webhookUrlFault(url, rules);
    if (fault !== null) return refused(`The URL ${fault}.`);
    const secrets = await database.webhooks.secrets(tenant);
    if (secrets.length === 0)
      return refused('The client has deleted its webhook, so there is no secret to sign the message with.');
    const message = { id: webhookMessageId(uuid), body: payload };
    const { retryAfterSeconds: asked, ...answer } = await sender.send(url, message, secrets);
    if (answer.delivered) return { answer, failure: null };
    if (answer.status === GONE)
      return refused('The receiver no longer exists: it answered with status 410.', answer);
    // `Retry-After: 0` asks for no pause. Temporal would give the message up after one of 0 s.
    const pauseS = asked ? Math.min(asked, LONGEST_RETRY_AFTER_S) : pauseAfter(attempts);
    return {
      answer,
      failure: new WebhookUndelivered(answer.error ?? 'The message was not delivered.', pauseS),
    };
  }

  /**
   * Makes one attempt. A delivered message is not sent again. A crash between the receiver's answer and our record sends
   * it again, under the same id. The attempt holds nothing large in memory, so that it cannot end its own process.
   *
   * @throws WebhookRefused, WebhookUndelivered with the reason; ClientBusy
   */
  return async function deliverWebhook({ deliveryUuid }: { deliveryUuid: string }): Promise<void> {
    const delivery = await webhookDeliveries.find(deliveryUuid);
    if (delivery?.status === 'failed') throw new WebhookRefused('The delivery has already failed.');
    if (delivery?.status !== 'pending') return;
    const release = await slots.take(delivery.clientId);
    if (release === null)
      throw new ClientBusy(
        'The client has its maximum number of messages in delivery. This message waits for them.',
        busyPause(activityInfo().attempt),
      );
    try {
      const { answer, failure } = await send(delivery);
      await webhookDeliveries.recordAttempt(deliveryUuid, { ...answer, error: failure?.message ?? null });
      if (failure) throw failure;
    } finally {
      await release();
    }
  };
}

/**
 * Seconds. The pause triples with every attempt that reached the receiver. It starts again when a message is requested
 * again, because it is at most twice the time since then.
 *
 * @param attempts before this one, over all requests of the message
 */
function pauseAfter(attempts: number): number {
  const elapsedS = (Date.now() - activityInfo().scheduledTimestampMs) / 1000;
  return Math.min(FIRST_PAUSE_S * 3 ** attempts, Math.max(FIRST_PAUSE_S, 2 * elapsedS), LONGEST_PAUSE_S);
}

/** Seconds, at random. Many messages that wait for a slow receiver ask less often after some attempts. */
function busyPause(attempt: number): number {
  return 1 + Math.random() * Math.min(LONGEST_BUSY_PAUSE_S, 5 * attempt);
}
