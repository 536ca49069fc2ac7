/** Having a package checked by a worker that reads packages: one workflow, waited for. */
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { type PackageCheckInput, WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { importFailedBy } from '../domain/errors.ts';
import { turnOfClient } from '../domain/fair-turns.ts';
import { packageCheckWorkflowId } from '../domain/ids.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';

export interface PackageChecks {
  /**
   * Waits until the report lies in the storage.
   *
   * @throws ImportFailed when the package cannot be read; anything else says nothing about the package
   */
  run(input: PackageCheckInput): Promise<void>;
}

/** Nobody waits for longer: the ZIP goes when the request ends. */
const TIMEOUT = '4 hours';

export function createPackageChecks(client: Client): PackageChecks {
  return {
    async run(input) {
      try {
        await client.workflow.execute(WORKFLOW_TYPES.packageCheck, {
          workflowId: packageCheckWorkflowId(input.checkUuid),
          taskQueue: TASK_QUEUES.packageImport,
          args: [input],
          workflowExecutionTimeout: TIMEOUT,
          staticSummary: 'Check of a package (dry run)',
          ...turnOfClient(input.clientId),
        });
      } catch (error) {
        const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
        const reason = cause instanceof ActivityFailure ? cause.cause : cause;
        if (reason instanceof ApplicationFailure && reason.nonRetryable) throw importFailedBy(reason);
        throw error;
      }
    },
  };
}
