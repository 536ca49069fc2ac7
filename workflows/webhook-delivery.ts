/**
 * Delivers one message to a client's webhook: retried for a day, then recorded as failed
 * (decision §signed-webhooks).
 */
import { CancellationScope, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { importRecords, webhooks } from './activity-proxies.ts';
import { rootCause } from './failures.ts';
import { redeliver, type WebhookDeliveryInput, type WebhookDeliveryResult } from './messages.ts';

/**
 * Never fails: an unreachable receiver is not an error of ours. A cancelled delivery is recorded as well. A redelivery
 * that is requested after the recorded end, but before the end of the run, happens in the same run.
 */
export async function webhookDelivery(input: WebhookDeliveryInput): Promise<WebhookDeliveryResult> {
  let askedAgain = false;
  setHandler(redeliver, () => {
    askedAgain = true;
  });
  for (;;) {
    askedAgain = false;
    const result = await deliver(input);
    if (!askedAgain) return result;
  }
}

async function deliver({ deliveryUuid }: WebhookDeliveryInput): Promise<WebhookDeliveryResult> {
  try {
    await webhooks.deliverWebhook({ deliveryUuid });
    return { delivered: true };
  } catch (error) {
    const reason = rootCause(error).message;
    await CancellationScope.nonCancellable(() => importRecords.giveUpWebhook({ deliveryUuid, reason }));
    setCurrentDetails(`Not delivered: ${reason}`);
    return { delivered: false };
  }
}
