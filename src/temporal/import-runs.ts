/** Starting the workflow of an import and waiting for its answer: one Update-with-Start (design §4.2). */
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
  processPackage,
  TASK_QUEUES,
  WORKFLOW_TYPES,
} from '../../workflows/messages.ts';
import { ImportFailed } from '../domain/errors.ts';
import { packageImportWorkflowId, processPackageUpdateId } from '../domain/ids.ts';
import type { ImportCounts } from '../domain/package-import.ts';
import type { SearchAttributes } from './search-attributes.ts';

export interface ImportRuns {
  /**
   * Starts the import's workflow, or joins the running one, and waits until every product has its queue
   * result.
   *
   * @throws ImportFailed when the package cannot be read; anything else says nothing about the import
   */
  process(input: PackageImportInput): Promise<ImportCounts>;
}

export function createImportRuns(client: Client, attributes: SearchAttributes): ImportRuns {
  return {
    async process(input) {
      const { importId, importUuid } = input;
      const start = new WithStartWorkflowOperation(WORKFLOW_TYPES.packageImport, {
        workflowId: packageImportWorkflowId(importUuid),
        taskQueue: TASK_QUEUES.packageImport,
        args: [input],
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        staticSummary: `Package import ${importId}`,
        ...attributes.of({ importId }),
      });
      try {
        return await client.workflow.executeUpdateWithStart(processPackage, {
          startWorkflowOperation: start,
          updateId: processPackageUpdateId(importUuid),
        });
      } catch (error) {
        const cause = error instanceof WorkflowUpdateFailedError ? error.cause : undefined;
        if (cause instanceof ApplicationFailure) throw new ImportFailed(cause.message);
        throw error;
      }
    },
  };
}
