/** The `regulator-insert` workflows that Temporal knows: looking at them and starting them. */
import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { insertWorkflowId } from '../domain/ids.ts';
import { type InsertMemo, type InsertOfImport, insertStart } from '../domain/insert-start.ts';
import type { SearchAttributes } from './search-attributes.ts';
import { unlessGone } from './unless-gone.ts';

export interface InsertWorkflowRun {
  runId: string;
  running: boolean;
  /** It has ended as it should: with an insert, or because there was nothing to insert. */
  succeeded: boolean;
  /** From the run's memo; null for a run that was started by hand without one. */
  submissionId: number | null;
}

export interface InsertWorkflows {
  /** The product's current or last run, or null when Temporal knows none. */
  current(productId: string): Promise<InsertWorkflowRun | null>;
  /** Waits until the run has closed or the deadline, in milliseconds since 1970, has passed. Never rejects: `current` tells. */
  untilClosed(productId: string, runId: string, deadline: number): Promise<void>;
  /** Run ids of all inserts that run, as far as the visibility store knows: it lags by a moment. */
  running(): Promise<Set<string>>;
  /** Asks a run to end; nothing happens when it has. */
  cancel(productId: string, runId: string): Promise<void>;
  /** Starts a run. Null when one of the product is running. */
  start(insert: InsertOfImport): Promise<{ runId: string } | null>;
}

export function createInsertWorkflows(client: Client, searchAttributes: SearchAttributes): InsertWorkflows {
  return {
    async current(productId) {
      try {
        const { runId, status, memo } = await client.workflow
          .getHandle(insertWorkflowId(productId))
          .describe();
        const submissionId = (memo as Partial<InsertMemo> | undefined)?.submissionId ?? null;
        const { name } = status;
        return { runId, running: name === 'RUNNING', succeeded: name === 'COMPLETED', submissionId };
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }
    },

    async untilClosed(productId, runId, deadline) {
      const run = client.workflow.getHandle(insertWorkflowId(productId), runId, { followRuns: false });
      // The result of a failed run rejects, and so does the deadline.
      await client.withDeadline(deadline, () => run.result()).catch(() => {});
    },

    async running() {
      const query = `WorkflowType = '${WORKFLOW_TYPES.regulatorInsert}' and ExecutionStatus = 'Running'`;
      const ids = new Set<string>();
      for await (const { runId } of client.workflow.list({ query, pageSize: 1000 })) ids.add(runId);
      return ids;
    },

    async cancel(productId, runId) {
      await client.workflow.getHandle(insertWorkflowId(productId), runId).cancel().catch(unlessGone);
    },

    async start(insert) {
      const { options, attributes } = insertStart(insert);
      try {
        const handle = await client.workflow.start(WORKFLOW_TYPES.regulatorInsert, {
          ...options,
          workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
          ...searchAttributes.of(attributes),
        });
        return { runId: handle.firstExecutionRunId };
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return null;
        throw error;
      }
    },
  };
}
