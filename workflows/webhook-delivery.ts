/** Bringing one message to a client's webhook: tried for a day, then recorded as failed (decision §signed-webhooks). */
import { CancellationScope, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { importRecords, webhooks } from './activity-proxies.ts';
import { rootCause } from './failures.ts';
import { redeliver, type WebhookDeliveryInput, type WebhookDeliveryResult } from './messages.ts';

/**
 * Never fails: a receiver that does not answer is no fault of ours. Also a cancelled delivery is recorded. What is asked for
 * once its end is recorded, and before the run itself has ended, is done by the same run.
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
