/**
 * Which checks fail without a worker of a role, and without Temporal. Real workers:
 * test/end-to-end/reading-apart.test.ts.
 */
import { expect, it } from 'vitest';
import { TASK_QUEUES, type WorkerRole } from '../../src/domain/task-queues.ts';
import { processingChecks } from '../../src/temporal/task-queues.ts';

const { packageImport, packageReading, regulatorInsert } = TASK_QUEUES;

/** The outcome of each check: null, or the reason of its failure. */
async function outcomes(without: WorkerRole | 'temporal' | null) {
  const workflowService = {
    getSystemInfo: async () => {
      if (without === 'temporal') throw new Error('no answer');
    },
  } as never;
  const ofRole = (role: WorkerRole) => (role === without ? 0 : 1);
  const { uploads, inserts } = processingChecks({ workflowService }, async () => ({
    [packageImport]: ofRole(packageImport),
    [packageReading]: ofRole(packageReading),
    [regulatorInsert]: ofRole(regulatorInsert),
  }));
  const failing = async (checks: Readonly<Record<string, () => Promise<void>>>) => {
    const results = Object.entries(checks).map(([name, check]) =>
      check().then(
        () => [],
        (error: Error) => [`${name}: ${error.message}`],
      ),
    );
    return (await Promise.all(results)).flat();
  };
  return { uploads: await failing(uploads), inserts: await failing(inserts) };
}

it.each([
  [null, [], []],
  ['temporal', ['temporal: no answer'], []],
  [packageImport, ['worker package-import: no worker of package-import has a recent heartbeat'], []],
  [packageReading, ['worker package-reading: no worker of package-reading has a recent heartbeat'], []],
  [regulatorInsert, [], ['worker regulator-insert: no worker of regulator-insert has a recent heartbeat']],
] as const)('without %s the checks of uploads and of inserts tell it', async (without, uploads, inserts) => {
  expect(await outcomes(without)).toEqual({ uploads, inserts });
});
