/** Webhook messages about the end of an import (decision §signed-webhooks). */

import { CancellationScope, setCurrentDetails, setHandler } from '@temporalio/workflow';
import { webhookDeliveryWorkflowId } from '../src/domain/ids.ts';
import { importAttributes } from '../src/domain/start-options.ts';
import { deliverWebhook, records } from './activity-proxies.ts';
import { rootCause } from './failures.ts';
import {
  redeliver,
  type WebhookDeliveryInput,
  type WebhookDeliveryResult,
  WORKFLOW_TYPES,
} from './messages.ts';
import { startUnlessRunning } from './start-child.ts';

/**
 * Delivers one message to a client's webhook: retried for a day, then recorded as failed.
 *
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
    await deliverWebhook({ deliveryUuid });
    return { delivered: true };
  } catch (error) {
    const reason = rootCause(error).message;
    await CancellationScope.nonCancellable(() => records.giveUpWebhook({ deliveryUuid, reason }));
    setCurrentDetails(`Not delivered: ${reason}`);
    return { delivered: false };
  }
}

/** Starts deliveries as independent workflows: a receiver without an answer does not delay the end of the import. */
export async function startDeliveries(importId: number, deliveryUuids: string[]): Promise<void> {
  for (const deliveryUuid of deliveryUuids)
    await startUnlessRunning<typeof webhookDelivery>(
      WORKFLOW_TYPES.webhookDelivery,
      importAttributes(importId),
      {
        workflowId: webhookDeliveryWorkflowId(deliveryUuid),
        args: [{ deliveryUuid }],
        staticSummary: `Webhook of package import ${importId}`,
      },
    );
}
