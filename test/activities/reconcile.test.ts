/** The reconciler reads an import that changes meanwhile (decision §the-reconciler). */
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import type { ImportDependencies } from '../../activities/dependencies.ts';
import { createReconcile, type ReconcileResult } from '../../activities/reconcile.ts';

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
