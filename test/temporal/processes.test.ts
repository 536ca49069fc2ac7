/** Gateway and each worker role as processes of their own: an import through them, their names, health and shutdown. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { VERSION } from '../../src/processes/shared/version.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { importsOf } from '../support/imports.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import { startTestStack, type TestStack } from '../support/services/in-process-stack.ts';
import { type StackProcess, startStackProcess } from '../support/services/stack-processes.ts';
import { finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

let stack: TestStack;
/** The stack, reached through the gateway's own process. */
let apart: TestStack;
let importWorker: StackProcess;
const ports: number[] = [];
const processes: StackProcess[] = [];

beforeAll(async () => {
  stack = await startTestStack({ withoutWorkers: true });
  ports.push(...(await freePorts(4)));
  const worker = (role: string, port: number | undefined) =>
    startStackProcess(stack, 'worker', {
      WORKER_ROLES: role,
      WORKER_HEALTH_PORT: String(port),
      SHUTDOWN_GRACE_SECONDS: '1',
      LOG_LEVEL: 'debug',
    });
  const [gateway, imports, inserts, reading] = await Promise.all([
    startStackProcess(stack, 'gateway'),
    worker('package-import', ports[0]),
    worker('regulator-insert', ports[1]),
    worker('package-reading', ports[3]),
  ]);
  importWorker = imports;
  processes.push(gateway, imports, inserts, reading);
  apart = { ...stack, gatewayUrl: gateway.url };
});
afterAll(async () => {
  for (const one of processes) one.terminate();
  await Promise.all(processes.map(({ exited }) => exited));
  await stack.stop();
});

interface Health {
  status: string;
  data: { state: string; checks: Record<string, string> };
}

async function ready(port: number | undefined): Promise<{ status: number; body: Health }> {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`);
  return { status: response.status, body: (await response.json()) as Health };
}

function linesOf({ output }: StackProcess): Record<string, unknown>[] {
  const lines = output().split('\n');
  return lines.flatMap((line) => (line.startsWith('{') ? JSON.parse(line) : []));
}

async function pollersOf(taskQueue: string) {
  const { pollers } = await stack.temporal.workflowService.describeTaskQueue({
    namespace: stack.config.temporal.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: 1,
  });
  return (pollers ?? []).map(({ identity, deploymentOptions }) => ({
    identity,
    buildId: deploymentOptions?.buildId,
  }));
}

describe('four processes', () => {
  it('import a package together, and each logs the id of the request', async () => {
    const requestId = 'request-of-the-test';
    const zip = await zipOf({ [productPath('a')]: productXml() });
    const answer = await upload(apart, zip, {
      email: 'person@company.example',
      headers: { 'x-request-id': requestId },
    });
    const importId = answer.body.data.id;
    const [submission] = (await finished(apart, importId)).submissions;
    expect(submission?.status).toBe('regulator_inserted');
    expect(await importsOf(apart).summariesOf(importId)).toHaveLength(1);

    const [gateway, imports, inserts, reading] = processes.map((one) => linesOf(one));
    expect(gateway).toContainEqual(expect.objectContaining({ request_id: requestId, msg: 'request' }));
    for (const [lines, activityType] of [
      [reading, 'extractPackage'],
      [imports, 'finishQueuing'],
      [inserts, 'beginInsert'],
      [inserts, 'design'],
    ])
      expect(lines).toContainEqual(expect.objectContaining({ request_id: requestId, activityType }));
  });

  it('are named in Temporal by role, machine and version', async () => {
    for (const role of [TASK_QUEUES.packageImport, TASK_QUEUES.regulatorInsert]) {
      const [poller] = await pollersOf(role);
      expect(poller?.identity).toMatch(new RegExp(`^${role}@.+:\\d+$`));
      expect(poller?.buildId).toBe(VERSION);
    }
  });

  it('say that they are alive and ready', async () => {
    for (const [role, port] of [
      ['package-import', ports[0]],
      ['regulator-insert', ports[1]],
      ['package-reading', ports[3]],
    ]) {
      const live = await fetch(`http://127.0.0.1:${port}/health/live`);
      expect(await live.json()).toMatchObject({ status: 'success', data: { version: VERSION } });
      const checks = { database: 'ok', temporal: 'ok', [`worker ${role}`]: 'ok' };
      expect(await ready(port as number)).toEqual({
        status: 200,
        body: { status: 'success', message: 'Ready.', data: { version: VERSION, state: 'running', checks } },
      });
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    }
  });
});

describe('a worker that is asked to stop', () => {
  it('takes nothing new, finishes its step, says meanwhile that it is draining, and ends with 0', async () => {
    const [, , port] = ports;
    const { behaviour } = stack.simulator.simulation;
    const worker = await startStackProcess(stack, 'worker', {
      WORKER_ROLES: 'regulator-insert',
      WORKER_HEALTH_PORT: String(port),
      SHUTDOWN_GRACE_SECONDS: '20',
    });
    onTestFinished(() => {
      behaviour.latency_ms = 0;
      worker.terminate();
    });
    // From here on it is the only worker.
    const [, , inserts] = processes;
    inserts?.terminate();
    expect(await inserts?.exited).toBe(0);

    behaviour.latency_ms = 3_000;
    const { importId, productId, submissionId } = await importsOf(apart).importOne();
    const steps = async () => {
      const { raw } = await importsOf(apart).insert(productId).describe();
      return raw.pendingActivities?.some(({ state }) => state === 2) ?? false; // STARTED
    };
    await eventually(steps);
    worker.terminate();
    const draining = await eventually(async () => {
      const health = await ready(port);
      return health.status === 503 && health;
    });
    expect(draining.body).toMatchObject({ status: 'error', data: { state: 'draining' } });
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    expect(await worker.exited).toBe(0);

    // The running step was not cut off: it is done, and was done once.
    const { state } = await importsOf(apart).submission(submissionId);
    expect(state.init_validate).toBe(true);
    const [onlyCase] = importsOf(apart).casesOf(productId);
    expect(onlyCase?.steps.init_validate?.accepted).toBe(1);

    behaviour.latency_ms = 0;
    await stack.startWorkers();
    expect((await finished(apart, importId)).submissions[0]?.status).toBe('regulator_inserted');
    expect(importWorker.output()).not.toContain('"level":50');
  });
});
