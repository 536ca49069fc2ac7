/** A run over failures that continues as a new run, because its history has become long. */
import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import type { FailuresRunMemo } from '../../src/domain/failures-run.ts';
import { failuresRunWorkflowId } from '../../src/domain/ids.ts';
import { workerSetup } from '../../src/processes/workers/roles.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { createFailuresRuns } from '../../src/temporal/failures-runs.ts';
import { createImportWorker } from '../../src/temporal/workers.ts';
import { startStack } from '../support/starters/stack.ts';

/** Makes the history reach the size at which Temporal suggests a new run, after a few imports. */
const LONG_RESULT = 'x'.repeat(1024 * 1024);

const stack = await startStack({ withoutWorkers: true });

it('keeps its progress', async () => {
  const runs = createFailuresRuns(stack.temporal);
  const runIds = new Set<string>();
  const actOnNextImport = async (_input: unknown, after: number) => {
    runIds.add(Context.current().info.workflowExecution?.runId ?? '');
    return runIds.size === 1 ? { importId: after + 1, cancelled: 1, retry: null, LONG_RESULT } : null;
  };
  const requested_at = new Date().toISOString();
  const memo = { action: 'cancel', requested_by: 'client:a', requested_at, products: 9, imports: 9 } as const;
  const begun: FailuresRunMemo = { ...memo, done_imports: 0, done_products: 0 };
  const input = { action: 'cancel', owner: {}, filter: {}, clientId: 'a', actor: 'client:a' } as const;
  const connection = await connectWorker(stack.config.temporal);
  try {
    const setup = await workerSetup(stack.config, connection);
    const worker = await createImportWorker({ ...setup, activities: { actOnNextImport } });
    const { imports } = await worker.runUntil(async () => {
      await runs.start(null, input, begun);
      return stack.temporal.workflow.getHandle(failuresRunWorkflowId(null)).result();
    });
    expect(runIds.size).toBe(2);
    const progress = { done_imports: imports, done_products: imports };
    expect(await runs.last(null)).toMatchObject({ ...memo, ...progress, status: 'completed' });
  } finally {
    await connection.close();
  }
});
