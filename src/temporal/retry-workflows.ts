/** Starts the workflow of a retry. */
import { type Client, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client';
import { type PackageImportRetryInput, WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { fairnessOfClient } from '../domain/fairness.ts';
import { packageImportRetryWorkflowId } from '../domain/ids.ts';
import { importAttributes } from '../domain/search-attributes.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import type { SearchAttributes } from './search-attributes.ts';

/** A retry, and the client that requested it. */
export interface RetryToStart extends PackageImportRetryInput {
  clientId: string;
}

export interface RetryWorkflows {
  /** Starts the retry's workflow, also again after its termination. Does nothing while it runs. */
  start(retry: RetryToStart): Promise<void>;
}

export function createRetryWorkflows(client: Client, attributes: SearchAttributes): RetryWorkflows {
  return {
    async start({ clientId, ...input }) {
      await client.workflow.start(WORKFLOW_TYPES.packageImportRetry, {
        workflowId: packageImportRetryWorkflowId(input.retryUuid),
        taskQueue: TASK_QUEUES.packageImport,
        args: [input] as [PackageImportRetryInput],
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
        staticSummary: `Retry of package import ${input.importId}`,
        ...fairnessOfClient(clientId),
        ...attributes.of(importAttributes(input.importId)),
      });
    },
  };
}
