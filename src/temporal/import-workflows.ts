/** Starts the workflows of an import: the import itself, its retry, and its webhook deliveries. */
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import {
  type PackageImportInput,
  type PackageImportRetryInput,
  processPackage,
  redeliver,
  type WebhookDeliveryInput,
  WORKFLOW_TYPES,
} from '../../workflows/messages.ts';
import type { ImportRetryRow } from '../database/entities/queue-result.ts';
import type { WebhookDeliveryRow } from '../database/entities/webhook.ts';
import { importFailedBy } from '../domain/client-errors.ts';
import {
  packageImportBatchWorkflowId,
  packageImportRetryWorkflowId,
  packageImportWorkflowId,
  processPackageUpdateId,
  webhookDeliveryWorkflowId,
} from '../domain/ids.ts';
import type { ImportCounts } from '../domain/package-import.ts';
import type { RequestMemo } from '../domain/run-context.ts';
import { fairnessOfClient, importAttributes } from '../domain/start-options.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import { ignoreAlreadyStarted, ignoreNotFound, isRunning, type SearchAttributes } from './connection.ts';

/** Temporal's failure of an update whose run has ended: the reconciler starts the import again. */
const RUN_ENDED = 'AcceptedUpdateCompletedWorkflow';

/** An import, and the client whose fairness key it gets. */
interface ImportToStart extends PackageImportInput {
  clientId: string;
}

type RetryToStart = Pick<ImportRetryRow, 'packageImport' | 'uuid' | 'clientId'>;

export type ImportWorkflows = ReturnType<typeof createImportWorkflows>;

export function createImportWorkflows(client: Client, attributes: SearchAttributes) {
  const options = async ({ clientId, ...input }: ImportToStart) => ({
    workflowId: packageImportWorkflowId(input.importUuid),
    taskQueue: TASK_QUEUES.packageImport,
    args: [input] as [PackageImportInput],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    staticSummary: `Package import ${input.importId}`,
    ...fairnessOfClient(clientId),
    ...(await attributes.of(importAttributes(input.importId))),
  });

  return {
    isRunning: (importUuid: string) =>
      isRunning(client.workflow.getHandle(packageImportWorkflowId(importUuid))),

    /** Starts the workflow of an interrupted import again, for its remaining work. False if it runs already. */
    async resume(toStart: ImportToStart): Promise<boolean> {
      const started = await client.workflow
        .start(WORKFLOW_TYPES.packageImport, {
          ...(await options({ ...toStart, resumed: true })),
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        })
        .catch(ignoreAlreadyStarted);
      return started !== undefined;
    },

    /** Starts the workflow of a retry, also again after its termination. Does nothing while it runs. */
    async retry({ packageImport: importId, uuid, clientId }: RetryToStart): Promise<void> {
      await client.workflow.start(WORKFLOW_TYPES.packageImportRetry, {
        workflowId: packageImportRetryWorkflowId(uuid),
        taskQueue: TASK_QUEUES.packageImport,
        args: [{ importId, retryUuid: uuid }] as [PackageImportRetryInput],
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        staticSummary: `Retry of package import ${importId}`,
        ...fairnessOfClient(clientId),
        ...(await attributes.of(importAttributes(importId))),
      });
    },

    /** Requests the cancellation of the import's workflow and its children. Does nothing without a running workflow. */
    async cancel(importUuid: string): Promise<void> {
      await client.workflow.getHandle(packageImportWorkflowId(importUuid)).cancel().catch(ignoreNotFound);
    },

    /** Requests the cancellation of an import's running batches (from 1). Returns their number. */
    async cancelBatches(importUuid: string, batches: number): Promise<number> {
      let running = 0;
      for (let batch = 1; batch <= batches; batch += 1) {
        const id = packageImportBatchWorkflowId(packageImportWorkflowId(importUuid), batch);
        const handle = client.workflow.getHandle(id);
        if (!(await isRunning(handle))) continue;
        running += 1;
        await handle.cancel().catch(ignoreNotFound);
      }
      return running;
    },

    /**
     * Starts the import's workflow, or joins the running one, and waits until every product has its queue result: one
     * Update-with-Start (decision §update-with-start).
     *
     * @param requestId id of the request, which the run's logs include
     * @throws ImportFailed if the package cannot be read; after any other error the state of the import is unknown
     */
    async process(toStart: ImportToStart, requestId?: string): Promise<ImportCounts> {
      const { importId, importUuid } = toStart;
      const start = new WithStartWorkflowOperation(WORKFLOW_TYPES.packageImport, {
        ...(await options(toStart)),
        memo: (requestId === undefined ? {} : { requestId }) satisfies RequestMemo,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      });
      try {
        return await client.workflow.executeUpdateWithStart(processPackage, {
          startWorkflowOperation: start,
          updateId: processPackageUpdateId(importUuid),
        });
      } catch (error) {
        const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (cause instanceof ApplicationFailure && cause.type !== RUN_ENDED)
          throw importFailedBy(cause, importId);
        throw error;
      }
    },
  };
}

type DeliveryToStart = Pick<WebhookDeliveryRow, 'packageImport' | 'uuid' | 'clientId'>;

export type WebhookWorkflows = ReturnType<typeof createWebhookWorkflows>;

/** Starts deliveries that no end of an import starts. */
export function createWebhookWorkflows(client: Client, searchAttributes: SearchAttributes) {
  const options = async ({ uuid, packageImport, clientId }: DeliveryToStart) => ({
    workflowId: webhookDeliveryWorkflowId(uuid),
    taskQueue: TASK_QUEUES.packageImport,
    args: [{ deliveryUuid: uuid }] as [WebhookDeliveryInput],
    staticSummary: packageImport ? `Webhook of package import ${packageImport}` : 'Webhook',
    ...fairnessOfClient(clientId),
    ...(packageImport && (await searchAttributes.of(importAttributes(packageImport)))),
  });

  return {
    /** Starts a delivery. Does nothing while it runs. */
    async start(delivery: DeliveryToStart): Promise<void> {
      await client.workflow.start(WORKFLOW_TYPES.webhookDelivery, {
        ...(await options(delivery)),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
      });
    },

    /** Starts a delivery, also again. A running delivery continues. If its run is about to end, the run tries again. */
    async deliver(delivery: DeliveryToStart): Promise<void> {
      await client.workflow.signalWithStart(WORKFLOW_TYPES.webhookDelivery, {
        ...(await options(delivery)),
        signal: redeliver,
      });
    },
  };
}
