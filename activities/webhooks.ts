/** Webhook messages: those about the end of imports are planned, and all are sent (decision §signed-webhooks). */
import { activityInfo } from '@temporalio/activity';
import type { WebhookPayload } from '../src/contract/types.ts';
import type { WebhookDeliveryRow } from '../src/database/entities/webhook.ts';
import { DomainError } from '../src/domain/errors.ts';
import { webhookMessageId } from '../src/domain/ids.ts';
import type { ImportCounts } from '../src/domain/package-import.ts';
import { webhookUrlFault } from '../src/domain/webhook.ts';
import type { WebhookAnswer } from '../src/notifications/webhooks/sender.ts';
import type { ImportDependencies } from './dependencies.ts';

/** A message may not go to its URL, or cannot be signed. A retry would fail in the same way. */
class WebhookRefused extends DomainError {
  readonly permanent = true;
  /** Null if nothing was sent. */
  readonly answer: WebhookAnswer | null;

  constructor(message: string, answer: WebhookAnswer | null = null) {
    super(message);
    this.answer = answer;
  }
}

/** The receiver of a message did not accept it. The cause is outside the service, so no alarm is raised. */
class WebhookUndelivered extends DomainError {
  readonly permanent = false;
  override readonly expected = true;
  readonly answer: WebhookAnswer;

  constructor(answer: WebhookAnswer, retryAfterSeconds: number) {
    super(answer.error ?? 'The message was not delivered.', retryAfterSeconds);
    this.answer = answer;
  }
}

/** The client has the maximum number of messages in delivery. This message waits for them. */
class ClientBusy extends DomainError {
  readonly permanent = false;
  override readonly expected = true;

  constructor(retryAfterSeconds: number) {
    super(
      'The client has its maximum number of messages in delivery. This message waits for them.',
      retryAfterSeconds,
    );
  }
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

/** The status of a receiver that no longer exists (Standard Webhooks). */
const GONE = 410;
/** Longest `Retry-After` that is obeyed, in seconds. */
const LONGEST_RETRY_AFTER_S = 3600;
/** Pauses between the tries that the receiver did not accept, in seconds. */
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
   * The tenant's secrets for the signature.
   *
   * @throws WebhookRefused if the URL is not allowed or the tenant has no secret
   */
  async function secretsFor(tenant: string, url: string): Promise<string[]> {
    const fault = webhookUrlFault(url, rules);
    if (fault !== null) throw new WebhookRefused(`The URL ${fault}.`);
    const secrets = await database.webhooks.secrets(tenant);
    if (secrets.length > 0) return secrets;
    throw new WebhookRefused(
      'The client has deleted its webhook, so there is no secret to sign the message with.',
    );
  }

  /** @throws WebhookUndelivered where another try may help */
  async function send({ uuid, tenant, url, payload, tries }: WebhookDeliveryRow) {
    const secrets = await secretsFor(tenant, url);
    const answer = await sender.send(url, { id: webhookMessageId(uuid), body: payload }, secrets);
    if (answer.delivered) return webhookDeliveries.recordTry(uuid, answer);
    if (answer.status === GONE)
      throw new WebhookRefused('The receiver no longer exists: it answered with status 410.', answer);
    const asked = answer.retryAfterSeconds;
    // `Retry-After: 0` asks for no pause. Temporal would give the message up after one of 0 s.
    throw new WebhookUndelivered(answer, asked ? Math.min(asked, LONGEST_RETRY_AFTER_S) : pauseAfter(tries));
  }

  /**
   * Makes one try. A delivered message is not sent again. A crash between the receiver's answer and our record sends
   * it again, under the same id. The try holds nothing large in memory, so that it cannot end its own process.
   *
   * @throws WebhookRefused, WebhookUndelivered with the reason; ClientBusy
   */
  return async function deliverWebhook({ deliveryUuid }: { deliveryUuid: string }): Promise<void> {
    const delivery = await webhookDeliveries.find(deliveryUuid);
    if (delivery?.status === 'failed') throw new WebhookRefused('The delivery has already failed.');
    if (delivery?.status !== 'pending') return;
    const giveBack = await slots.take(delivery.clientId);
    if (giveBack === null) throw new ClientBusy(busyPause(activityInfo().attempt));
    try {
      await send(delivery);
    } catch (error) {
      if (error instanceof WebhookRefused || error instanceof WebhookUndelivered) {
        const { status = null, body = null } = error.answer ?? {};
        const failed = { delivered: false, status, body, error: error.message };
        await webhookDeliveries.recordTry(deliveryUuid, failed);
      }
      throw error;
    } finally {
      await giveBack();
    }
  };
}

/**
 * Seconds. The pause triples with every try that reached the receiver. It starts again when a message is requested again,
 * because it is at most twice the time since then.
 *
 * @param tries before this one, over all requests of the message
 */
function pauseAfter(tries: number): number {
  const elapsedS = (Date.now() - activityInfo().scheduledTimestampMs) / 1000;
  return Math.min(FIRST_PAUSE_S * 3 ** tries, Math.max(FIRST_PAUSE_S, 2 * elapsedS), LONGEST_PAUSE_S);
}

/** Seconds, at random. Many messages that wait for a slow receiver ask less often after some tries. */
function busyPause(attempt: number): number {
  return 1 + Math.random() * Math.min(LONGEST_BUSY_PAUSE_S, 5 * attempt);
}
