/**
 * Every panel of the dashboard shows something, and every rule can be evaluated: asked of a real Prometheus (./prometheus.ts)
 * that scrapes the service while it imports. The panels themselves are drawn by Grafana, which is not here.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/found-program.ts';
import { freePorts } from '../support/free-ports.ts';
import { newProductId } from '../support/product-xml.ts';
import { type Stack, startStack } from '../support/starters/stack.ts';
import { finished } from '../support/upload.ts';
import { type RunningPrometheus, startPrometheus } from './prometheus.ts';
import { readText } from './support.ts';

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

describe.skipIf(program === null)(
  'with a real Prometheus (skipped without one: test/deploy/prometheus.ts)',
  () => {
    let stack: Stack;
    let prometheus: RunningPrometheus;
    beforeAll(async () => {
      const [port] = await freePorts(1);
      stack = await startStack({ env: { HEALTH_PORT: String(port) } });
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
    afterAll(async () => {
      await prometheus?.stop();
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
  },
);
