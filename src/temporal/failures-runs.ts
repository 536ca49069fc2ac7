/** Runs over the failed products of many imports: one at a time for each tenant, and one for operators. */
import type { Client } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import type { FailuresRun } from '../contract/types.ts';
import type { FailuresRunInput, FailuresRunMemo } from '../domain/failures-run.ts';
import { failuresRunWorkflowId } from '../domain/ids.ts';
import { fairnessOfClient } from '../domain/start-options.ts';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import { ignoreAlreadyStarted, ignoreNotFound } from './connection.ts';

export type FailuresRuns = ReturnType<typeof createFailuresRuns>;

const STATUSES: Readonly<Record<string, FailuresRun['status']>> = {
  RUNNING: 'running',
  COMPLETED: 'completed',
  CANCELLED: 'stopped',
};

/** Every `tenant` is null for the run of operators. */
export function createFailuresRuns(client: Client) {
  const handleOf = (tenant: string | null) => client.workflow.getHandle(failuresRunWorkflowId(tenant));
  return {
    /** False while another run is under way. */
    async start(tenant: string | null, input: FailuresRunInput, memo: FailuresRunMemo): Promise<boolean> {
      const started = await client.workflow
        .start(WORKFLOW_TYPES.failuresRun, {
          workflowId: failuresRunWorkflowId(tenant),
          taskQueue: TASK_QUEUES.packageImport,
          args: [input] as [FailuresRunInput],
          memo,
          staticSummary: `${input.action} of failed products over many imports`,
          ...fairnessOfClient(input.clientId),
        })
        .catch(ignoreAlreadyStarted);
      return started !== undefined;
    },

    /** The last run, as long as Temporal keeps it. */
    async last(tenant: string | null): Promise<FailuresRun | null> {
      const found = await handleOf(tenant).describe().catch(ignoreNotFound);
      if (!found) return null;
      const status = STATUSES[found.status.name] ?? 'failed';
      const ended_at = found.closeTime?.toISOString() ?? null;
      // The fields one by one: a memo has no order.
      const { action, requested_by, requested_at, ...amounts } = found.memo as unknown as FailuresRunMemo;
      const { products, imports, done_imports, done_products } = amounts;
      const done = { products, imports, done_imports, done_products };
      return { action, status, requested_by, requested_at, ended_at, ...done };
    },

    /** Requests the end. Does nothing without a running run. */
    async stop(tenant: string | null): Promise<void> {
      await handleOf(tenant).cancel().catch(ignoreNotFound);
    },
  };
}
