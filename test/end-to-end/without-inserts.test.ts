/** The runbook's way to pause inserting with Temporal alone: no worker with the role `regulator-insert`. The API stays. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';

import { productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { type StackProcess, startStackProcess } from '../support/services/stack-processes.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

vi.setConfig({ testTimeout: 120_000 });

const { packageImport, packageReading, regulatorInsert } = TASK_QUEUES;

let stack: TestStack;
const processes: StackProcess[] = [];
beforeAll(async () => {
  stack = await startTestStack({ withoutWorkers: true });
  const WORKER_ROLES = `${packageImport},${packageReading}`;
  processes.push(await startStackProcess(stack, 'worker', { WORKER_ROLES }));
});
afterAll(async () => {
  for (const one of processes) await one.stop();
  await stack?.stop();
});

it('uploads are answered, the gateway stays ready, and the products go on when the worker is back', async () => {
  const answer = await upload(stack, await zipOf({ [productPath('a')]: productXml() }));
  expect(answer.status).toBe(200);
  expect(answer.body.data.queue.queued_count).toBe(1);

  const ready = await fetch(`${stack.gatewayUrl}/health/ready`);
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
  processes.push(await startStackProcess(stack, 'worker', { WORKER_ROLES: regulatorInsert }));
  const { submissions } = await finished(stack, id);
  expect(submissions.map(({ status }) => status)).toEqual(['regulator_inserted']);
});
