/** The reconciler reads an import that changes meanwhile (decision §the-reconciler). */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, vi } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createReconcile, type ReconcileResult } from '../../activities/reconcile.ts';
import type { InsertWorkflowRun } from '../../src/temporal/insert-workflows.ts';

const IMPORT = { importId: 7, importUuid: 'uuid', clientId: 'client', cancelRequested: false };

/** @param endsWhileListed whether its run ends, and with it the import, after the open imports have been listed */
function lookAtOneWithoutRun(endsWhileListed: boolean) {
  let isOver = false;
  const resumed: number[] = [];
  const dependencies = {
    database: {
      reconciliation: { inserting: async () => [], openImports: async () => [IMPORT] },
      imports: {
        find: async () => ({ completedAt: isOver ? new Date() : null }),
        recordResumed: async (id: number) => void resumed.push(id),
      },
      importRetries: { openSince: async () => [] },
    },
    insertWorkflows: { running: async () => new Set() },
    importWorkflows: {
      isRunning: async () => {
        isOver = endsWhileListed;
        return false;
      },
      resume: async () => {},
    },
  } as unknown as ImportDependencies;
  return { reconcile: createReconcile(dependencies), resumed };
}

it.each([
  ['whose run is gone is resumed', false, [IMPORT.importId]],
  ['that has ended since it was listed is left alone: what failed of it is not run again', true, []],
])('an import %s', async (_what, endsWhileListed, expected) => {
  const { reconcile, resumed } = lookAtOneWithoutRun(endsWhileListed);
  const result = await new MockActivityEnvironment().run<[], ReconcileResult, typeof reconcile>(reconcile);
  expect([result.resumed, resumed]).toEqual([expected, expected]);
});

const SUSPECT = { submissionId: 1, importId: 7, productId: '12345-26-00001', jobId: 'lost run' };

/** Heals a submission whose run is not among the running ones. @param current the last run of its product */
async function heal(current: InsertWorkflowRun | null) {
  const started: string[] = [];
  const dependencies = {
    database: {
      reconciliation: {
        inserting: async (_ms: number, after: number) => (after === 0 ? [SUSPECT] : []),
        openImports: async () => [],
      },
      importRetries: { openSince: async () => [] },
      insertRuns: { fail: async () => true, expect: async () => {} },
    },
    insertWorkflows: {
      running: async () => new Set(),
      current: async () => current,
      start: async ({ productId }: typeof SUSPECT) => {
        started.push(productId);
        return { runId: 'new run' };
      },
    },
  } as unknown as ImportDependencies;
  const reconcile = createReconcile(dependencies);
  const { failed, repeated } = await new MockActivityEnvironment().run<[], ReconcileResult, typeof reconcile>(
    reconcile,
  );
  return { failed, repeated, started };
}

it('records are read page by page, with a heartbeat after each, and only their runs are looked up', async () => {
  const submissions = Array.from({ length: 1_001 }, (_, n) => ({
    submissionId: n + 1,
    importId: 7,
    productId: `product ${n}`,
    jobId: `run ${n}`,
  }));
  const afterOf = <T>(items: T[], idOf: (item: T) => number) =>
    vi.fn(async (_ms: number, after: number, limit: number) =>
      items.filter((item) => idOf(item) > after).slice(0, limit),
    );
  const imports = Array.from({ length: 501 }, (_, n) => ({ ...IMPORT, importId: n + 1 }));
  const retries = Array.from({ length: 501 }, (_, n) => ({ packageImport: n + 1, uuid: 'u', clientId: 'c' }));
  const looked: number[] = [];
  const started: number[] = [];
  const dependencies = {
    database: {
      reconciliation: {
        inserting: afterOf(submissions, ({ submissionId }) => submissionId),
        openImports: afterOf(imports, ({ importId }) => importId),
      },
      importRetries: { openSince: afterOf(retries, ({ packageImport }) => packageImport) },
    },
    insertWorkflows: {
      async running(runIds: string[]) {
        looked.push(runIds.length);
        return new Set(runIds);
      },
    },
    importWorkflows: { isRunning: async () => true },
    retryWorkflows: { start: async ({ importId }: { importId: number }) => void started.push(importId) },
  } as unknown as ImportDependencies;
  const environment = new MockActivityEnvironment();
  let heartbeats = 0;
  environment.on('heartbeat', () => {
    heartbeats += 1;
  });
  await environment.run<[], ReconcileResult, ReturnType<typeof createReconcile>>(
    createReconcile(dependencies),
  );
  expect(looked).toEqual([500, 500, 1]);
  expect(started).toHaveLength(retries.length);
  expect(heartbeats).toBeGreaterThan(100);
});

const run = { runId: 'another run', running: true, succeeded: false, submissionId: 1 };
const NOTHING = { failed: [], repeated: [], started: [] };

it.each<[string, InsertWorkflowRun | null, Partial<Awaited<ReturnType<typeof heal>>>]>([
  ['is running after all is left alone', { ...run, runId: 'lost run', submissionId: null }, {}],
  ['was reset, so that another run works on the same submission, is left alone', run, {}],
  ['is gone while one of another submission runs has failed', { ...run, submissionId: 2 }, { failed: [1] }],
  ['is gone from the server has failed', null, { failed: [1] }],
  ['has ended with a failure has failed', { ...run, running: false }, { failed: [1] }],
  [
    'has succeeded is repeated, to record that',
    { ...run, running: false, succeeded: true },
    { repeated: [1], started: [SUSPECT.productId] },
  ],
  [
    'is gone while one of another submission has succeeded has failed',
    { ...run, running: false, succeeded: true, submissionId: 2 },
    { failed: [1] },
  ],
])('an insert whose run %s', async (_what, current, expected) => {
  expect(await heal(current)).toEqual({ ...NOTHING, ...expected });
});
