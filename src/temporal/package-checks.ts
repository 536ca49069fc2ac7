/** Runs dry runs: starts the workflow `package-check` and waits for its end. */
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { type PackageCheckInput, WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { importFailedBy } from '../domain/client-errors.ts';
import { packageCheckWorkflowId } from '../domain/ids.ts';
import { fairnessOfClient } from '../domain/start-options.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';

export type PackageChecks = ReturnType<typeof createPackageChecks>;

/** Limit of a dry run. The ZIP is removed when the request ends. */
const TIMEOUT = '4 hours';

export function createPackageChecks(client: Client) {
  return {
    /**
     * Waits until the report is in the storage.
     *
     * @throws ImportFailed if the package cannot be read; any other error says nothing about the package
     */
    async run(input: PackageCheckInput): Promise<void> {
      try {
        await client.workflow.execute(WORKFLOW_TYPES.packageCheck, {
          workflowId: packageCheckWorkflowId(input.checkUuid),
          taskQueue: TASK_QUEUES.packageImport,
          args: [input],
          workflowExecutionTimeout: TIMEOUT,
          staticSummary: 'Dry run of a package',
          ...fairnessOfClient(input.clientId),
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
