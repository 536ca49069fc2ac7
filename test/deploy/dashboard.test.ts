/**
 * Every panel of the dashboard shows something, and every rule can be evaluated: asked of a real Prometheus that
 * scrapes the service while it imports. `.ci/programs` brings it. The panels themselves are drawn by Grafana, which is
 * not here.
 */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { atEnd } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/found-program.ts';
import { freePorts } from '../support/free-ports.ts';
import { newProductId } from '../support/product-xml.ts';
import { serving } from '../support/serving.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { finished } from '../support/upload.ts';
import { readText } from './support.ts';

interface Sample {
  metric: Record<string, string>;
  value: number;
}

interface RunningPrometheus {
  /** @throws with what is wrong with the expression */
  query(expression: string): Promise<Sample[]>;
  rules(): Promise<{ name: string; health: string; lastError?: string }[]>;
}

/** Resolves when it answers. It ends with the test file. @param jobs their targets, as `host:port`, by their names */
async function startPrometheus(
  program: string,
  { jobs, ruleFile }: { jobs: Record<string, string>; ruleFile: string },
): Promise<RunningPrometheus> {
  const directory = await temporaryDirectory();
  const [port] = await freePorts(1);
  const file = join(directory, 'prometheus.yml');
  await writeFile(
    file,
    stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [ruleFile],
      scrape_configs: Object.entries(jobs).map(([name, target]) => ({
        job_name: name,
        static_configs: [{ targets: [target] }],
      })),
    }),
  );
  const options = {
    'config.file': file,
    'storage.tsdb.path': join(directory, 'data'),
    'web.listen-address': `127.0.0.1:${port}`,
    'log.level': 'error',
  };
  const url = `http://127.0.0.1:${port}`;
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const { stop } = await serving(spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] }), async () => {
    return (await fetch(`${url}/-/ready`).catch(() => null))?.ok;
  });
  atEnd(stop);

  async function ask<T>(path: string): Promise<T> {
    const { status, error, data } = (await (await fetch(`${url}/api/v1/${path}`)).json()) as {
      status: string;
      error?: string;
      data: T;
    };
    if (status !== 'success') throw new Error(error);
    return data;
  }

  return {
    async query(expression) {
      const { result } = await ask<{ result: { metric: Sample['metric']; value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      );
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    async rules() {
      const { groups } = await ask<{ groups: { rules: Awaited<ReturnType<RunningPrometheus['rules']>> }[] }>(
        'rules',
      );
      return groups.flatMap(({ rules }) => rules);
    },
  };
}

interface Dashboard {
  panels: { title: string; targets?: { expr: string; legendFormat: string }[] }[];
}

const { panels } = JSON.parse(await readText('deploy/grafana/package-import.json')) as Dashboard;
const targets = panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

/** Grafana puts four scrapes or more in its place; all that a test does is within a minute of it. */
const asked = (expr: string) => expr.replaceAll('$__rate_interval', '2m');
const labelsIn = (legend: string) => [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);

const program = await findProgram('prometheus');

describe.skipIf(program === null)('with a real Prometheus (skipped without one)', () => {
  let stack: Stack;
  let prometheus: RunningPrometheus;
  beforeAll(async () => {
    const [port] = await freePorts(1);
    stack = await startStack({ withoutWorkers: true });
    // Metrics of the SDK's core are set up once per process.
    await stack.startProcess('worker', { HEALTH_PORT: String(port) });
    prometheus = await startPrometheus(program ?? '', {
      jobs: {
        'package-import-gateway': new URL(stack.healthUrl).host,
        'package-import-worker': `127.0.0.1:${port}`,
      },
      ruleFile: fileURLToPath(new URL('../../deploy/prometheus/alerts.yml', import.meta.url)),
    });
    const imports = stack.imports;
    const importTwo = async () => {
      const [good, bad] = [newProductId(), newProductId()];
      imports.reject(bad);
      const { id } = await imports.importProducts([{ productId: good }, { productId: bad }]);
      await finished(stack, id);
      imports.restoreRegulator();
      await fetch(`${stack.gatewayUrl}/nothing/there`);
    };
    // A rate takes two scrapes of a series, and counts what comes after the first.
    await importTwo();
    await eventually(
      async () => (await prometheus.query('package_import_mails_total{outcome="sent"} > 0')).length > 0,
    );
    await importTwo();
  });

  it.each(targets)('$title: $expr', async ({ expr, legendFormat }) => {
    // A quantile of nothing is NaN, which is drawn as nothing.
    const shown = await eventually(async () => {
      const samples = (await prometheus.query(asked(expr))).filter(({ value }) => !Number.isNaN(value));
      return samples.length > 0 && samples;
    });
    for (const { metric } of shown)
      expect(Object.keys(metric)).toEqual(expect.arrayContaining(labelsIn(legendFormat)));
    const names = shown.map(({ metric }) =>
      JSON.stringify(labelsIn(legendFormat).map((label) => metric[label])),
    );
    expect(new Set(names).size, 'lines of the same name').toBe(names.length);
  });

  it('every rule can be evaluated', async () => {
    const rules = await eventually(async () => {
      const all = await prometheus.rules();
      return all.length > 0 && all.every(({ health }) => health !== 'unknown') && all;
    });
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
  });
});
