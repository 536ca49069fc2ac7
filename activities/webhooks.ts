/** Sends webhook messages about the end of imports (decision §signed-webhooks). */
import { ClientBusy, WebhookRefused, WebhookUndelivered } from '../src/domain/errors.ts';
import { webhookMessageId } from '../src/domain/ids.ts';
import { webhookUrlFault } from '../src/domain/webhook.ts';
import type { ImportDependencies } from './dependencies.ts';

type WebhookDependencies = Pick<ImportDependencies, 'webhooks'> & {
  database: Pick<ImportDependencies['database'], 'webhooks' | 'webhookDeliveries'>;
};

/** The status of a receiver that no longer exists (Standard Webhooks). */
const GONE = 410;
/** Longest `Retry-After` that is obeyed, in seconds. */
const LONGEST_PAUSE_S = 3600;

export function createWebhookActivities({ database, webhooks }: WebhookDependencies) {
  const { rules, sender, slots } = webhooks;
  const { webhookDeliveries } = database;

  /**
   * The client's secrets for the signature.
   *
   * @throws WebhookRefused if the URL is not allowed or the client has no secret
   */
  async function secretsFor(clientId: string, url: string): Promise<string[]> {
    const fault = webhookUrlFault(url, rules);
    if (fault !== null) throw new WebhookRefused(`The URL ${fault}.`);
    const secrets = await database.webhooks.secrets(clientId);
    if (secrets.length > 0) return secrets;
    throw new WebhookRefused('The client has no webhook any more, and so no secret to sign with.');
  }

  /** @throws WebhookUndelivered where another try may help */
  async function send(
    clientId: string,
    { uuid, url, payload }: { uuid: string; url: string; payload: string },
  ) {
    const secrets = await secretsFor(clientId, url);
    const answer = await sender.send(url, { id: webhookMessageId(uuid), body: payload }, secrets);
    if (answer.delivered) return webhookDeliveries.recordTry(uuid, answer);
    if (answer.status === GONE)
      throw new WebhookRefused('The receiver is gone: it has answered with status 410.', GONE);
    const pause = answer.retryAfterSeconds;
    throw new WebhookUndelivered(
      answer.error ?? 'It was not delivered.',
      answer.status,
      pause === null ? undefined : Math.min(pause, LONGEST_PAUSE_S),
    );
  }

  return {
    /**
     * Makes one try. A delivered message is not sent again. A crash between the receiver's answer and our record sends
     * it again, under the same id. The try holds nothing large in memory, so that it cannot end its own process.
     *
     * @throws WebhookRefused, WebhookUndelivered with the reason
     */
    async deliverWebhook({ deliveryUuid }: { deliveryUuid: string }): Promise<void> {
      const found = await webhookDeliveries.find(deliveryUuid);
      if (found?.delivery.status === 'failed') throw new WebhookRefused('It is not tried any more.');
      if (found?.delivery.status !== 'pending') return;
      const { delivery, clientId } = found;
      const giveBack = await slots.take(clientId);
      if (giveBack === null) throw new ClientBusy();
      try {
        await send(clientId, delivery);
      } catch (error) {
        if (error instanceof WebhookRefused || error instanceof WebhookUndelivered) {
          const { status, message } = error;
          await webhookDeliveries.recordTry(deliveryUuid, { delivered: false, status, error: message });
        }
        throw error;
      } finally {
        await giveBack();
      }
    },

    /** Gives up a delivery after its last try, or one that can never succeed. */
    async giveUpWebhook(args: { deliveryUuid: string; reason: string }): Promise<void> {
      await webhookDeliveries.giveUp(args.deliveryUuid, args.reason);
    },
  };
}
