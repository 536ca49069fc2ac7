/** Metrics of the gateway: requests, uploads, and results of imports. */

import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Middleware } from 'koa';
import { ERROR_CODES } from '../contract/error-codes.ts';
import { ImportFailed } from '../domain/client-errors.ts';
import type { ImportCounts } from '../domain/package-import.ts';
import type { RequestState } from '../http/koa.ts';
import type { ImportWorkflows } from '../temporal/import-workflows.ts';
import { DURATION_BUCKETS, gaugesOf } from './metrics.ts';

const MB = 1024 * 1024;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

interface GatewayMetrics {
  /** Middleware, to be used around everything that answers requests. */
  measureRequests: Middleware<RequestState>;
  /** Wraps the workflows and counts their results. */
  measureImports(workflows: ImportWorkflows): ImportWorkflows;
}

export function createGatewayMetrics(registry: Registry): GatewayMetrics {
  const registers = [registry];
  const requests = new Histogram({
    name: 'package_import_http_request_duration_seconds',
    help: 'Duration of requests from the first to the last byte, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const errors = new Counter({
    name: 'package_import_http_errors_total',
    help: 'Requests that ended with an error, by its code (`data.code` of the answer)',
    labelNames: ['code'],
    registers,
  });
  const uploads = new Histogram({
    name: 'package_import_upload_size_bytes',
    help: 'Sizes of the completely received ZIPs',
    buckets: [0.1, 1, 10, 50, 100, 250, 500, 1024, 2048].map((size) => size * MB),
    registers,
  });
  const imports = new Counter({
    name: 'package_import_imports_total',
    help: 'Imports by the answer to their upload: complete, partial, invalid (the import failed or was cancelled: package_import_http_errors_total has the code), unknown (the request could not wait for the result)',
    labelNames: ['outcome'],
    registers,
  });
  const products = new Counter({
    name: 'package_import_products_total',
    help: 'Product files of uploaded packages by outcome: created, skipped, failed',
    labelNames: ['outcome'],
    registers,
  });
  const queueResults = new Counter({
    name: 'package_import_queue_results_total',
    help: 'Submissions by the result of queuing them: queued, refused',
    labelNames: ['result'],
    registers,
  });
  for (const code of ERROR_CODES) errors.inc({ code }, 0);
  for (const outcome of ['complete', 'partial', 'invalid', 'unknown']) imports.inc({ outcome }, 0);
  for (const result of ['queued', 'refused']) queueResults.inc({ result }, 0);

  function count({ created, skipped, failed, queued, queueFailed }: ImportCounts): void {
    imports.inc({ outcome: failed + queueFailed > 0 ? 'partial' : 'complete' });
    for (const [outcome, number] of Object.entries({ created, skipped, failed }))
      products.inc({ outcome }, number);
    for (const [result, number] of Object.entries({ queued, refused: queueFailed }))
      queueResults.inc({ result }, number);
  }

  return {
    async measureRequests(ctx, next) {
      const observe = requests.startTimer();
      await next();
      // The router's pattern, which has names instead of ids.
      const route = (ctx as { _matchedRoute?: unknown })._matchedRoute;
      const labels = {
        method: METHODS.includes(ctx.method) ? ctx.method : 'other',
        route: typeof route === 'string' ? route : 'none',
        status: ctx.status,
      };
      const { upload, errorCode } = ctx.state;
      if (upload) uploads.observe(upload.archive.sizeBytes);
      if (errorCode) errors.inc({ code: errorCode });
      // Koa sends the answer after all middleware.
      if (ctx.res.closed) observe(labels);
      else ctx.res.once('close', () => observe(labels));
    },

    measureImports: (workflows) => ({
      ...workflows,
      async process(...input) {
        try {
          const counts = await workflows.process(...input);
          count(counts);
          return counts;
        } catch (error) {
          imports.inc({ outcome: error instanceof ImportFailed ? 'invalid' : 'unknown' });
          throw error;
        }
      },
    }),
  };
}

/**
 * Gauges of the storage's free bytes and of the minimum below which uploads are refused.
 *
 * @param freeBytes null if the storage does not report it; the gauge is absent then
 */
export function measureStorage(
  registry: Registry,
  freeBytes: () => Promise<number | null>,
  minFreeBytes: number,
): void {
  gaugesOf(registry, freeBytes)(
    'package_import_storage_free_bytes',
    'Free bytes of the archive storage; absent if the storage does not report them',
    (free) => free,
  );
  new Gauge({
    name: 'package_import_storage_min_free_bytes',
    help: 'Free bytes of the archive storage that the uploads under way must leave (STORAGE_MIN_FREE_MB)',
    registers: [registry],
  }).set(minFreeBytes);
}
