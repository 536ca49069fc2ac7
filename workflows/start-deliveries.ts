/**
 * Starts webhook deliveries as independent workflows: a receiver without an answer does not delay the end of the
 * import.
 */
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { startChild } from '@temporalio/workflow';
import { webhookDeliveryWorkflowId } from '../src/domain/ids.ts';
import { importAttributes } from '../src/domain/search-attributes.ts';
import { childOptions } from './child-options.ts';
import { WORKFLOW_TYPES } from './messages.ts';
import type { webhookDelivery } from './webhook-delivery.ts';

export async function startDeliveries(importId: number, deliveryUuids: string[]): Promise<void> {
  for (const deliveryUuid of deliveryUuids) {
    try {
      await startChild<typeof webhookDelivery>(WORKFLOW_TYPES.webhookDelivery, {
        ...childOptions(importAttributes(importId)),
        workflowId: webhookDeliveryWorkflowId(deliveryUuid),
        args: [{ deliveryUuid }],
        staticSummary: `Webhook of package import ${importId}`,
      });
    } catch (error) {
      // A run before a reset has started it.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }
}
