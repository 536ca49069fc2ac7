/** Namespaces of a running Temporal server. */
import type { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { eventually, succeeds } from './eventually.ts';

/** Time for which an ended workflow is kept. */
const RETENTION = { seconds: 24 * 60 * 60 };

const { NAMESPACE_STATE_DELETED } = proto.temporal.api.enums.v1.NamespaceState;

/** Registers a namespace unless it exists. Resolves when the server accepts requests for it. */
export async function registerNamespace({ workflowService }: Connection, namespace: string): Promise<void> {
  await workflowService
    .registerNamespace({ namespace, workflowExecutionRetentionPeriod: RETENTION as never })
    .catch((error: Error) => {
      if (!/already exists/i.test(error.message)) throw error;
    });
  // Every node knows the namespace some seconds later.
  await eventually(() => succeeds(workflowService.listWorkflowExecutions({ namespace, pageSize: 1 })));
}

/** The server no longer works for a namespace: none of its schedules starts a workflow. */
export async function abandonNamespace({ workflowService }: Connection, namespace: string): Promise<void> {
  await workflowService.updateNamespace({ namespace, updateInfo: { state: NAMESPACE_STATE_DELETED } });
}
