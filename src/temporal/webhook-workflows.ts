/** Starts a webhook delivery again. The import itself starts the first delivery. */
import { type Client, WorkflowIdReusePolicy } from '@temporalio/client';
import { redeliver, WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { fairnessOfClient } from '../domain/fairness.ts';
import { webhookDeliveryWorkflowId } from '../domain/ids.ts';
import { importAttributes } from '../domain/search-attributes.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import type { SearchAttributes } from './search-attributes.ts';

export interface WebhookWorkflows {
  /** Starts the delivery. A running delivery continues. If its run is about to end, the run tries again. */
  deliver(delivery: { uuid: string; importId: number; clientId: string }): Promise<void>;
}

export function createWebhookWorkflows(client: Client, searchAttributes: SearchAttributes): WebhookWorkflows {
  return {
    async deliver({ uuid, importId, clientId }) {
      await client.workflow.signalWithStart(WORKFLOW_TYPES.webhookDelivery, {
        workflowId: webhookDeliveryWorkflowId(uuid),
        taskQueue: TASK_QUEUES.packageImport,
        args: [{ deliveryUuid: uuid }],
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        signal: redeliver,
        staticSummary: `Webhook of package import ${importId}`,
        ...fairnessOfClient(clientId),
        ...searchAttributes.of(importAttributes(importId)),
      });
    },
  };
}
