/** The duration of a request ends with the last byte of its answer. */
import { Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { createGatewayMetrics } from '../../src/observability/gateway-metrics.ts';
import { eventually } from '../support/eventually.ts';
import { fakeReports } from '../support/gateway-fakes.ts';
import { startGateway } from '../support/starters/gateway.ts';
import { samplesOf, sumOf } from './support/exposition.ts';

it('a streamed answer is measured when it has been sent', async () => {
  const registry = new Registry();
  const begun = Promise.withResolvers<void>();
  const rest = Promise.withResolvers<void>();
  const gateway = await startGateway({
    change: ({ database }) => ({
      observers: [createGatewayMetrics(registry).measureRequests],
      database: {
        ...database,
        imports: { find: async () => ({ id: 1 }) } as never,
        reports: {
          ...fakeReports(async () => ({ id: 1, queuedAt: new Date() })),
          // biome-ignore lint/correctness/useYield: no file, late.
          async *files() {
            begun.resolve();
            await rest.promise;
          },
        },
      },
    }),
  });
  const measured = async () =>
    sumOf(samplesOf(await registry.metrics()), 'package_import_http_request_duration_seconds_count');
  const answer = gateway.fetch('/regulator/package-imports/1/files.csv');
  await begun.promise;
  expect(await measured()).toBe(0);
  rest.resolve();
  await (await answer).text();
  await eventually(async () => (await measured()) === 1);
});
