/** Gateway and each worker role as processes of their own: an import through them, their names, health and shutdown. */
import { describe, expect, it } from 'vitest';
import { TASK_QUEUES } from '../../src/domain/task-queues.ts';
import { VERSION } from '../../src/processes/shared/logger.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { importsOf } from '../support/imports.ts';
import { productPath, productXml } from '../support/product-xml.ts';
import type { StackProcess } from '../support/stack-process.ts';
import { startStack } from '../support/starters/stack.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';

const stack = await startStack({ withoutWorkers: true });
const ports = await freePorts(4);
const gatewayPort = ports[3];
/** An empty value counts as not set. */
const NOTHING_OF_THE_REGULATOR = { ENCRYPTION_SECRET: '', REGULATOR_URL: '', SMTP_URL: '', AUTH_ISSUER: '' };
const worker = (role: string, port: number | undefined, env: Record<string, string> = {}) =>
  stack.startProcess('worker', {
    ...env,
    WORKER_ROLES: role,
    HEALTH_PORT: String(port),
    LOG_LEVEL: 'debug',
  });
const [gateway, importWorker, inserts, reading] = await Promise.all([
  stack.startProcess('gateway', { HEALTH_PORT: String(gatewayPort) }),
  worker('package-import', ports[0]),
  worker('regulator-insert', ports[1]),
  worker('package-reading', ports[2], NOTHING_OF_THE_REGULATOR),
]);
/** The stack, reached through the gateway's own process. */
const apart = { ...stack, gatewayUrl: gateway.url };

interface Health {
  status: string;
  data: { state: string; checks: Record<string, string>; processing?: Record<string, string> };
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

    expect(linesOf(gateway)).toContainEqual(
      expect.objectContaining({ request_id: requestId, msg: 'request' }),
    );
    for (const [worker, activityType] of [
      [reading, 'extractPackage'],
      [importWorker, 'finishQueuing'],
      [inserts, 'beginInsert'],
      [inserts, 'design'],
    ] as const)
      expect(linesOf(worker)).toContainEqual(
        expect.objectContaining({ request_id: requestId, activityType }),
      );
  });

  it('are named in Temporal by role, machine and version', async () => {
    for (const role of [TASK_QUEUES.packageImport, TASK_QUEUES.regulatorInsert]) {
      const [poller] = await pollersOf(role);
      expect(poller?.identity).toMatch(new RegExp(`^${role}@.+:\\d+$`));
      expect(poller?.buildId).toBe(VERSION);
    }
  });

  it('report that they are alive and ready', async () => {
    for (const [role, port] of [
      ['package-import', ports[0]],
      ['regulator-insert', ports[1]],
      ['package-reading', ports[2]],
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

describe('the gateway', () => {
  it('reports its readiness and that of the workers on a port of its own, and its metrics there', async () => {
    const { body } = await eventually(async () => {
      const answer = await ready(gatewayPort);
      return Object.values(answer.body.data.processing ?? {}).every((state) => state === 'ok') && answer;
    });
    expect(body.data).toEqual({
      version: VERSION,
      state: 'running',
      checks: { database: 'ok' },
      processing: {
        storage: 'ok',
        temporal: 'ok',
        'worker package-import': 'ok',
        'worker package-reading': 'ok',
        'worker regulator-insert': 'ok',
      },
    });
    const metrics = await fetch(`http://127.0.0.1:${gatewayPort}/metrics`);
    expect(await metrics.text()).toContain('package_import_http_request_duration_seconds');
    for (const path of ['/metrics', '/health/ready'])
      expect((await fetch(gateway.url + path)).status).toBe(404);
  });
});

describe('a gateway that starts during an outage of Temporal', () => {
  it('answers, refuses uploads, and accepts them after the outage', { timeout: 90_000 }, async () => {
    const temporal = await startTcpProxy([Number(stack.config.temporal.address.split(':')[1])]);
    temporal.refuse();
    const [port] = await freePorts(1);
    const started = await stack.startProcess('gateway', {
      TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}`,
      HEALTH_PORT: String(port),
    });
    const duringOutage = { ...stack, gatewayUrl: started.url };
    expect(await ready(port)).toMatchObject({
      status: 200,
      body: { data: { checks: { database: 'ok' }, processing: { storage: 'ok', temporal: 'failed' } } },
    });
    expect((await call(duringOutage, 'GET', '/regulator/package-imports')).status).toBe(200);
    const zip = await zipOf({ [productPath('a')]: productXml() });
    expect(await upload(duringOutage, zip)).toMatchObject({
      status: 503,
      body: { data: { code: 'processing_unavailable' } },
    });

    temporal.restore();
    const imports = importsOf(duringOutage);
    const { importUuid, importId } = await eventually(() => imports.importOne().catch(() => null));
    const { searchAttributes } = await imports.parent(importUuid).describe();
    expect(searchAttributes).toMatchObject({ PackageImportId: [importId] });
    await started.stop();
  });
});

describe('a stopping worker', () => {
  it('accepts nothing new, finishes its step, reports that it is draining, and ends with 0', async () => {
    const [, port] = ports;
    const { behaviour } = stack.simulator.simulation;
    behaviour.latency_ms = 3_000;
    const { importId, productId, submissionId } = await importsOf(apart).importOne();
    const steps = async () => {
      const { raw } = await importsOf(apart).insert(productId).describe();
      return raw.pendingActivities?.some(({ state }) => state === 2) ?? false; // STARTED
    };
    await eventually(steps);
    inserts.terminate();
    const draining = await eventually(async () => {
      const health = await ready(port);
      return health.status === 503 && health;
    });
    expect(draining.body).toMatchObject({ status: 'error', data: { state: 'draining' } });
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    expect(await inserts.exited).toBe(0);

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
