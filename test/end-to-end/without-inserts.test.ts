/** The runbook's way to pause inserting with Temporal alone: no worker with the role `regulator-insert`. The API stays. */
import { expect, it, vi } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

vi.setConfig({ testTimeout: 120_000 });

const { packageImport, packageReading, regulatorInsert } = TASK_QUEUES;

const stack = await startStack({ withoutWorkers: true });
const WORKER_ROLES = `${packageImport},${packageReading}`;
await stack.startProcess('worker', { WORKER_ROLES });

it('uploads are answered without an insert worker, the gateway stays ready, and products continue later', async () => {
  const answer = await upload(stack, await zipOf({ [productPath('a')]: productXml() }));
  expect(answer.status).toBe(200);
  expect(answer.body.data.queue.queued_count).toBe(1);

  const ready = await fetch(`${stack.healthUrl}/health/ready`);
  expect(ready.status).toBe(200);
  const checks = { database: 'ok', storage: 'ok' };
  const processing = {
    temporal: 'ok',
    [`worker ${packageImport}`]: 'ok',
    [`worker ${packageReading}`]: 'ok',
    [`worker ${regulatorInsert}`]: 'failed',
  };
  expect(await ready.json()).toMatchObject({ data: { checks, processing } });

  const { id } = answer.body.data;
  const path = `/regulator/package-imports/${id}?view=summary`;
  expect(await call(stack, 'GET', path)).toMatchObject({
    status: 200,
    body: { data: { progress: { regulator_inserting: 1 } } },
  });
  await stack.startProcess('worker', { WORKER_ROLES: regulatorInsert });
  const { submissions } = await finished(stack, id);
  expect(submissions.map(({ status }) => status)).toEqual(['regulator_inserted']);
});
