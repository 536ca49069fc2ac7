/**
 * The metrics of the Temporal SDK's core, which has its own exporter. It listens on a loopback port of its own; we
 * read from there, so that a process has one address to scrape.
 */
import { createServer } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';

export interface CoreMetrics {
  telemetry: TelemetryOptions;
  text(): Promise<string>;
}

export async function createCoreMetrics(): Promise<CoreMetrics> {
  const bindAddress = `127.0.0.1:${await freePort()}`;
  return {
    telemetry: {
      metrics: {
        attachServiceName: false,
        // The conventions of Prometheus.
        prometheus: {
          bindAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
    text: async () => (await fetch(`http://${bindAddress}/metrics`)).text(),
  };
}

/** The exporter cannot tell which port it got, so it has to be told one. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
