/** Bringing one message to a client's webhook: tried for a day, then recorded as failed (architecture §signed-webhooks). */
import { CancellationScope, setCurrentDetails } from '@temporalio/workflow';
import { importRecords, webhooks } from './activity-proxies.ts';
import { rootCause } from './failures.ts';
import type { WebhookDeliveryInput, WebhookDeliveryResult } from './messages.ts';

/** Never fails: a receiver that does not answer is no fault of ours. Also a cancelled delivery is recorded. */
export async function webhookDelivery({
  deliveryUuid,
}: WebhookDeliveryInput): Promise<WebhookDeliveryResult> {
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
