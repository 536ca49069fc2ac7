/** Metrics of gateway, workers and SDK after real imports; dashboard and alerts name only what is among them. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TASK_QUEUES, type TaskQueue, WORKER_ROLES } from '../../src/domain/task-queues.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { newProductId } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { call, finished, upload } from '../support/upload.ts';
import { zipOf } from '../support/zip.ts';
import { type Sample, scrape, sumOf } from './support/exposition.ts';

const products = [newProductId(), newProductId()];

/** One product of three is refused, one package cannot be read, and one insert waits for a login. */
const [port] = await freePorts(1);
const workerUrl = `http://127.0.0.1:${port}/metrics`;
const stack = await startStack({ withoutWorkers: true });
const gateway = async () => (await scrape(`${stack.healthUrl}/metrics`)).samples;
const worker = async () => (await scrape(workerUrl)).samples;
const backlogOf = async (task_queue: TaskQueue) =>
  sumOf(await gateway(), 'package_import_task_queue_backlog', { task_type: 'workflow', task_queue });
const waiting = await stack.temporal.workflow.start('package-import', {
  taskQueue: TASK_QUEUES.packageImport,
  workflowId: 'nobody-takes-it',
});
await eventually(async () => (await backlogOf(TASK_QUEUES.packageImport)) === 1);
const backlogOfInserts = await backlogOf(TASK_QUEUES.regulatorInsert);
await waiting.terminate();
// Metrics of the SDK's core are set up once per process.
await stack.startProcess('worker', { HEALTH_PORT: String(port) });
const { imports } = stack;
const [good = '', bad = ''] = products;
imports.reject(bad);
const { id: importId } = await imports.importProducts([{ productId: good }, { productId: bad }]);
await finished(stack, importId);
imports.restoreRegulator();
await upload(stack, await zipOf({ 'a/export/x.xml': '', 'b/export/x.xml': '' }));
await call(stack, 'GET', `/regulator/package-imports/${importId}`);
await fetch(`${stack.gatewayUrl}/nothing/there`);

describe('the gateway', () => {
  it('measures requests by route and status, without ids', async () => {
    const samples = await gateway();
    const requests = (labels: Record<string, string>) =>
      sumOf(samples, 'package_import_http_request_duration_seconds_count', labels);
    const route = '/regulator/package-import';
    expect(requests({ method: 'POST', route, status: '200' })).toBe(1);
    expect(requests({ method: 'POST', route, status: '500' })).toBe(1);
    expect(requests({ route: '/regulator/package-imports/:id', status: '200' })).toBeGreaterThan(0);
    expect(requests({ route: 'none', status: '404' })).toBe(1);
  });

  it('counts errors by their code', async () => {
    const samples = await gateway();
    const errors = (code: string) => sumOf(samples, 'package_import_http_errors_total', { code });
    expect([errors('invalid_package'), errors('unknown_path'), errors('not_found')]).toEqual([1, 1, 0]);
  });

  it('measures uploads and the results of packages', async () => {
    const samples = await gateway();
    expect(sumOf(samples, 'package_import_upload_size_bytes_count')).toBe(2);
    expect(sumOf(samples, 'package_import_upload_size_bytes_sum')).toBeGreaterThan(100);
    expect(sumOf(samples, 'package_import_imports_total', { outcome: 'complete' })).toBe(1);
    expect(sumOf(samples, 'package_import_imports_total', { outcome: 'invalid' })).toBe(1);
    expect(sumOf(samples, 'package_import_products_total', { outcome: 'created' })).toBe(2);
    expect(sumOf(samples, 'package_import_queue_results_total', { result: 'queued' })).toBe(2);
    expect(sumOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(0);
  });
});

describe('the backlog of workers', () => {
  it('is shown per task queue, before a worker runs', () => {
    expect(backlogOfInserts).toBe(0);
  });

  it('is beside the number of running workers, by role', async () => {
    const samples = await gateway();
    const workers = WORKER_ROLES.map((role) => sumOf(samples, 'package_import_workers', { role }));
    expect(workers).toEqual([1, 1, 1]);
  });
});

describe('the workers', () => {
  it('measure activities by outcome, the regulator by status, and mails', async () => {
    const samples = await worker();
    const attempts = (activity: string, outcome: string) =>
      sumOf(samples, 'package_import_activity_duration_seconds_count', { activity, outcome });
    expect(attempts('extractPackage', 'completed')).toBe(1);
    expect(attempts('extractPackage', 'failed')).toBe(1);
    expect(attempts('init_validate', 'completed')).toBe(2);
    expect(attempts('design', 'completed')).toBe(1);
    expect(attempts('design', 'rejected')).toBe(1);
    expect(attempts('ingredients', 'completed')).toBe(1);
    const calls = (operation: string, status: string) =>
      sumOf(samples, 'package_import_regulator_request_duration_seconds_count', { operation, status });
    expect(calls('POST /cases', '201')).toBe(2);
    expect(calls('PUT /cases/{case_id}/steps/design', '200')).toBe(1);
    expect(calls('PUT /cases/{case_id}/steps/design', '422')).toBe(1);
    expect(sumOf(samples, 'package_import_mails_total', { outcome: 'sent' })).toBe(1);
    expect(sumOf(samples, 'package_import_regulator_session_active')).toBe(1);
    expect(sumOf(samples, 'package_import_steps_waiting_for_session')).toBe(0);
  });

  it('count each success of scheduled work from 0', async () => {
    const name = 'package_import_activity_duration_seconds_count';
    expect((await scrape(workerUrl)).text).toContain(
      `${name}{activity="applyRetention",outcome="completed"} 0`,
    );
    for (const [schedule, activity] of [
      ['reconcile', 'reconcile'],
      ['statistics', 'countDays'],
      ['retention', 'applyRetention'],
      ['mail-digests', 'sendDigests'],
    ] as const) {
      await stack.temporal.schedule.getHandle(`package-import-${schedule}`).trigger();
      await eventually(async () => sumOf(await worker(), name, { activity, outcome: 'completed' }) > 0);
    }
  });

  it('include the metrics of the SDK', async () => {
    const samples = await worker();
    expect(sumOf(samples, 'temporal_workflow_completed_total')).toBeGreaterThan(0);
    expect(sumOf(samples, 'temporal_workflow_task_execution_latency_seconds_count')).toBeGreaterThan(0);
  });

  it('count the steps that wait for a login', async () => {
    imports.takeRegulatorAway();
    const { submissionId } = await imports.importOne();
    await stack.simulator.simulation.state.endSession();
    imports.restoreRegulator();
    await eventually(async () => {
      const samples = await worker();
      return (
        sumOf(samples, 'package_import_steps_waiting_for_session') === 1 &&
        sumOf(samples, 'package_import_regulator_session_active') === 0 &&
        sumOf(samples, 'package_import_regulator_session_remaining_seconds') === 0
      );
    });
    // The gateway reports for the whole service.
    await eventually(async () => {
      const samples = await gateway();
      return (
        sumOf(samples, 'package_import_imports_unfinished') === 1 &&
        sumOf(samples, 'package_import_oldest_unfinished_import_seconds') > 0 &&
        sumOf(samples, 'package_import_submissions', { status: 'regulator_inserting' }) === 1
      );
    });
    await stack.logIn();
    await imports.reached(submissionId, 'regulator_inserted');
    await eventually(async () => {
      const samples = await worker();
      return (
        sumOf(samples, 'package_import_steps_waiting_for_session') === 0 &&
        sumOf(samples, 'package_import_regulator_session_remaining_seconds') > 60
      );
    });
    await eventually(async () => sumOf(await gateway(), 'package_import_imports_unfinished') === 0);
  });
});

describe('labels', () => {
  it('have no product, import or run', async () => {
    for (const url of [`${stack.healthUrl}/metrics`, workerUrl]) {
      const { text, samples } = await scrape(url);
      for (const productId of products) expect(text).not.toContain(productId);
      const values = new Set(
        samples.flatMap(({ labels: { le: _bucket, ...labels } }) => Object.values(labels)),
      );
      expect([...values].filter((value) => /[0-9a-f]{8}-[0-9a-f]{4}|^\d{6,}$/.test(value))).toEqual([]);
      const series = new Map<string, number>();
      for (const { name, labels } of samples)
        if (!('le' in labels)) series.set(name, (series.get(name) ?? 0) + 1);
      expect(series.size).toBeGreaterThan(10);
      expect([...series].filter(([, count]) => count > 60)).toEqual([]);
    }
  });
});

describe('dashboard and alerts', () => {
  const read = (path: string) => readFile(new URL(`../../deploy/${path}`, import.meta.url), 'utf8');

  /** Metrics in an expression, with the labels that it uses of them. */
  function metricsIn(expression: string): { name: string; labels: string[] }[] {
    const uses = expression.matchAll(/\b((?:package_import|temporal|nodejs|process)_\w+)(?:\{([^}]*)\})?/g);
    return [...uses].map(([, name = '', selector = '']) => ({
      name,
      labels: [...selector.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label ?? ''),
    }));
  }

  async function expectExposed(expressions: string[]): Promise<void> {
    const samples: Sample[] = [...(await gateway()), ...(await worker())];
    const labelsOf = (name: string) =>
      new Set(samples.filter((sample) => sample.name === name).flatMap(({ labels }) => Object.keys(labels)));
    expect(expressions.length).toBeGreaterThan(5);
    for (const expression of expressions) {
      const metrics = metricsIn(expression);
      const known = metrics.flatMap(({ name }) => [...labelsOf(name)]);
      const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
        list.split(',').map((label) => label.trim()),
      );
      expect(samples.length > 0 && (metrics.length > 0 || /\bup\b/.test(expression)), expression).toBe(true);
      for (const { name, labels } of metrics) {
        expect(
          samples.some((sample) => sample.name === name),
          `${name} in ${expression}`,
        ).toBe(true);
        expect(
          labels.filter((label) => !['job', 'instance'].includes(label) && !labelsOf(name).has(label)),
          expression,
        ).toEqual([]);
      }
      // Kinds that every service has: a rule about one that no longer exists would be silent, or never be.
      const kinds = [...expression.matchAll(/\b(activity|workflow_type|task_queue)=~?"([\w|-]*)"/g)];
      for (const [, label = '', values = ''] of kinds) {
        for (const value of values.split('|')) {
          const known = samples.some((sample) => (sample.labels as Record<string, string>)[label] === value);
          expect(known, `${label} ${value} in ${expression}`).toBe(true);
        }
      }
      expect(
        grouped.filter((label) => !['job', 'instance', ...known].includes(label)),
        expression,
      ).toEqual([]);
    }
  }

  it('of the dashboard name existing metrics', async () => {
    const dashboard = JSON.parse(await read('grafana/package-import.json')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    await expectExposed(dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));
  });

  it('of the alerts name existing metrics', async () => {
    const rules = await read('prometheus/alerts.yml');
    const alerts = [...rules.matchAll(/^ +- alert: /gm)].length;
    const expressions = rules.matchAll(/^ +expr: (?:>-\n((?: {10,}.*\n)+)|(.+)\n)/gm);
    const found = [...expressions].map(([, block, line]) =>
      (block ?? line ?? '').replace(/\s+/g, ' ').trim(),
    );
    expect(found).toHaveLength(alerts);
    await expectExposed(found);
  });
});
