/**
 * Old and new workers side by side: each continues runs that the other has begun, when the new code is
 * `patched`. docs/changing-workflows.md and deploy/upgrades.md describe it.
 */
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installRuntime } from '../../src/observability/temporal-core.ts';
import { eventually } from '../support/eventually.ts';
import { newNamespace, temporalOfTests } from '../support/servers.ts';
import { goOn } from './support/go-on.ts';

/** `temporal.api.enums.v1.WorkflowTaskFailedCause` */
const NON_DETERMINISTIC = 24;
const taskQueue = 'patch-markers';

let namespace: string;
let connection: Connection;
let native: NativeConnection;
let client: Client;
const bundles = new Map<string, { code: string }>();
beforeAll(async () => {
  await installRuntime(pino({ level: 'silent' }), false);
  namespace = await newNamespace();
  const address = temporalOfTests();
  connection = await Connection.connect({ address });
  native = await NativeConnection.connect({ address });
  client = new Client({ connection, namespace });
  for (const code of ['run-of-before', 'run-with-a-patch']) {
    const workflowsPath = fileURLToPath(new URL(`./support/${code}.ts`, import.meta.url));
    bundles.set(code, await bundleWorkflowCode({ workflowsPath }));
  }
});
afterAll(async () => {
  await connection?.close();
  await native?.close();
});

/** Runs a worker with this code for the duration of the work. */
async function workedBy<T>(code: string, work: () => Promise<T>): Promise<T> {
  const workflowBundle = bundles.get(code) ?? { code: '' };
  const worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue,
    workflowBundle,
    // The server's timeout for a worker that has gone.
    stickyQueueScheduleToStartTimeout: '1 second',
  });
  return worker.runUntil(work);
}

const begin = (workflowId: string) => client.workflow.start('waitsForASignal', { workflowId, taskQueue });

/** Resolves after the run's first workflow task. */
const hasBegun = (workflowId: string) =>
  eventually(async () =>
    (await eventsOf(workflowId)).some((event) => event.workflowTaskCompletedEventAttributes),
  );

async function eventsOf(workflowId: string) {
  return (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
}

it('an old worker cannot continue a run of the new code, which waits for a new worker', async () => {
  const id = 'begun-by-the-new';
  await workedBy('run-with-a-patch', async () => {
    await begin(id);
    await hasBegun(id);
  });
  const handle = client.workflow.getHandle(id);
  await workedBy('run-of-before', async () => {
    await handle.signal(goOn);
    const failed = await eventually(async () =>
      (await eventsOf(id)).find((event) => event.workflowTaskFailedEventAttributes),
    );
    expect(failed.workflowTaskFailedEventAttributes?.cause).toBe(NON_DETERMINISTIC);
    expect((await handle.describe()).status.name).toBe('RUNNING');
  });
  expect(await workedBy('run-with-a-patch', () => handle.result())).toBe('the new path');
});

it('a new worker continues a run of the old code, on its path', async () => {
  const id = 'begun-by-the-old';
  await workedBy('run-of-before', async () => {
    await begin(id);
    await hasBegun(id);
  });
  const handle = client.workflow.getHandle(id);
  await handle.signal(goOn);
  expect(await workedBy('run-with-a-patch', () => handle.result())).toBe('the old path');
});

it('an old worker takes over a run that is reset to its start', async () => {
  const id = 'begun-by-the-new-and-reset';
  await workedBy('run-with-a-patch', async () => {
    await begin(id);
    await hasBegun(id);
  });
  const first = (await eventsOf(id)).find((event) => event.workflowTaskCompletedEventAttributes);
  await connection.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId: id },
    reason: 'test',
    workflowTaskFinishEventId: first?.eventId ?? null,
    requestId: randomUUID(),
  });
  const handle = client.workflow.getHandle(id);
  await handle.signal(goOn);
  expect(await workedBy('run-of-before', () => handle.result())).toBe('the old path');
});
