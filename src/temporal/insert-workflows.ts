/** Starts `regulator-insert` workflows and looks them up in Temporal. */
import type { Client } from '@temporalio/client';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { insertWorkflowId } from '../domain/ids.ts';
import { type InsertMemo, type InsertOfImport, insertStart } from '../domain/start-options.ts';
import { ignoreAlreadyStarted, ignoreNotFound, type SearchAttributes } from './connection.ts';

export interface InsertWorkflowRun {
  runId: string;
  running: boolean;
  /** Whether it ended without failure: with an insert, or because nothing had to be inserted. */
  succeeded: boolean;
  /** From the run's memo; null for a run that was started by hand without a memo. */
  submissionId: number | null;
}

export type InsertWorkflows = ReturnType<typeof createInsertWorkflows>;

export function createInsertWorkflows(client: Client, searchAttributes: SearchAttributes) {
  return {
    /** The product's current or last run; null for a product without one. */
    async current(productId: string): Promise<InsertWorkflowRun | null> {
      const run = await client.workflow
        .getHandle(insertWorkflowId(productId))
        .describe()
        .catch(ignoreNotFound);
      if (!run) return null;
      const { runId, status, memo } = run;
      const submissionId = (memo as Partial<InsertMemo> | undefined)?.submissionId ?? null;
      const { name } = status;
      return { runId, running: name === 'RUNNING', succeeded: name === 'COMPLETED', submissionId };
    },

    /**
     * Waits until the run has closed or the deadline (milliseconds since 1970) has passed. Never rejects: `current`
     * returns the state.
     */
    async untilClosed(productId: string, runId: string, deadline: number): Promise<void> {
      const run = client.workflow.getHandle(insertWorkflowId(productId), runId, { followRuns: false });
      // `result()` rejects for a failed run, and at the deadline.
      await client.withDeadline(deadline, () => run.result()).catch(() => {});
    },

    /**
     * Run ids among `runIds` of running inserts, from the visibility store, which lags by a moment.
     *
     * @param runIds at most some hundreds: the query names them all
     */
    async running(runIds: readonly string[]): Promise<Set<string>> {
      const ids = new Set<string>();
      if (runIds.length === 0) return ids;
      const listed = runIds.map((runId) => `'${runId}'`).join(', ');
      const query = `RunId in (${listed}) and ExecutionStatus = 'Running'`;
      for await (const { runId } of client.workflow.list({ query })) ids.add(runId);
      return ids;
    },

    /** Requests the cancellation of a run. Does nothing to an ended run. */
    async cancel(productId: string, runId: string): Promise<void> {
      await client.workflow.getHandle(insertWorkflowId(productId), runId).cancel().catch(ignoreNotFound);
    },

    /** Starts a run. Null if a run of the product is running. */
    async start(insert: InsertOfImport): Promise<{ runId: string } | null> {
      const { options, attributes } = insertStart(insert);
      const handle = await client.workflow
        .start(WORKFLOW_TYPES.regulatorInsert, {
          ...options,
          ...(await searchAttributes.of(attributes)),
        })
        .catch(ignoreAlreadyStarted);
      return handle ? { runId: handle.firstExecutionRunId } : null;
    },
  };
}
