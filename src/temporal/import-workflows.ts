/**
 * Starting the workflow of an import and waiting for its answer: one Update-with-Start
 * (architecture §update-with-start).
 */
import {
  type Client,
  WithStartWorkflowOperation,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { type PackageImportInput, processPackage, WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { importFailedBy } from '../domain/errors.ts';
import { packageImportWorkflowId, processPackageUpdateId } from '../domain/ids.ts';
import type { ImportCounts } from '../domain/package-import.ts';
import type { RequestMemo } from '../domain/run-context.ts';
import { importAttributes } from '../domain/search-attributes.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import type { SearchAttributes } from './search-attributes.ts';

export interface ImportWorkflows {
  /**
   * Starts the import's workflow, or joins the running one, and waits until every product has its queue
   * result.
   *
   * @param requestId of the request that asks; the run carries it on into its logs
   * @throws ImportFailed when the package cannot be read; anything else says nothing about the import
   */
  process(input: PackageImportInput, requestId?: string): Promise<ImportCounts>;
  isRunning(importUuid: string): Promise<boolean>;
  /** Starts the workflow of an import that was begun before, to go on with what is left. */
  resume(input: PackageImportInput): Promise<void>;
}

export function createImportWorkflows(client: Client, attributes: SearchAttributes): ImportWorkflows {
  const options = (input: PackageImportInput) => ({
    workflowId: packageImportWorkflowId(input.importUuid),
    taskQueue: TASK_QUEUES.packageImport,
    args: [input] as [PackageImportInput],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    staticSummary: `Package import ${input.importId}`,
    ...attributes.of(importAttributes(input.importId)),
  });

  return {
    async isRunning(importUuid) {
      try {
        const { status } = await client.workflow.getHandle(packageImportWorkflowId(importUuid)).describe();
        return status.name === 'RUNNING';
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return false;
        throw error;
      }
    },

    async resume(input) {
      await client.workflow.start(WORKFLOW_TYPES.packageImport, {
        ...options({ ...input, resumed: true }),
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      });
    },

    async process(input, requestId) {
      const { importUuid } = input;
      const start = new WithStartWorkflowOperation(WORKFLOW_TYPES.packageImport, {
        ...options(input),
        memo: memoOf(requestId),
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
      });
      try {
        return await client.workflow.executeUpdateWithStart(processPackage, {
          startWorkflowOperation: start,
          updateId: processPackageUpdateId(importUuid),
        });
      } catch (error) {
        const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (cause instanceof ApplicationFailure) throw importFailedBy(cause, input.importId);
        throw error;
      }
    },
  };
}

function memoOf(requestId: string | undefined): { requestId?: string } {
  const memo: RequestMemo = requestId === undefined ? {} : { requestId };
  return { ...memo };
}
