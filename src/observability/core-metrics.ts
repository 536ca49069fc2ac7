/**
 * Metrics of the Temporal SDK's core. The core has its own exporter on a loopback port. The process reads from it, so that
 * Prometheus scrapes one address per process.
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
        // Prometheus naming conventions.
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

/** A free port: the exporter does not report the port that it has bound, so the caller must choose one. */
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
