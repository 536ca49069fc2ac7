/** Health checks of a process, and the HTTP server that shows them to orchestrators, with metrics for Prometheus. */

import Koa from 'koa';
import pTimeout from 'p-timeout';
import type { Logger } from 'pino';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import { messageOf } from '../common/text.ts';

/** Time for which the results are cached. */
const FRESH_MS = 1_000;

/** Each rejects with the reason of its failure. */
type Checks = Readonly<Record<string, () => Promise<void>>>;

interface CheckResults {
  ok: boolean;
  /** By name: `ok` or `failed`. */
  checks: Record<string, string>;
}

const CHECK_TIMEOUT_MS = 3_000;

/**
 * The checks of a process, cached for a second and single-flight, so that frequent requests cost nothing. Logs when a
 * check begins to fail, with the reason, and when it works again.
 */
export function cachedChecks(
  checks: Checks,
  logger: Pick<Logger, 'info' | 'warn'>,
): () => Promise<CheckResults> {
  const failing = new Map<string, string>();

  function tell(check: string, reason: string | null): void {
    if (reason === null) {
      if (failing.delete(check)) logger.info({ check }, 'a readiness check passes again');
    } else if (failing.get(check) !== reason) {
      failing.set(check, reason);
      logger.warn({ check, reason }, 'a readiness check fails');
    }
  }

  async function ask(): Promise<CheckResults> {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await failureOf(check)] as const),
    );
    for (const [name, reason] of results) tell(name, reason);
    return {
      ok: results.every(([, reason]) => reason === null),
      // The reason stays in the log, because it may name hosts, users and addresses.
      checks: Object.fromEntries(results.map(([name, reason]) => [name, reason === null ? 'ok' : 'failed'])),
    };
  }

  return createSingleFlightCache(ask, () => FRESH_MS).get;
}

/** The reason of a check that fails; null if it passes. */
async function failureOf(check: () => Promise<void>): Promise<string | null> {
  try {
    await pTimeout(check(), { milliseconds: CHECK_TIMEOUT_MS, message: 'no answer in time' });
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** A `draining` process accepts no new work and finishes the running work. */
export type ProcessState = 'starting' | 'running' | 'draining';

export interface HealthServerDependencies {
  /** Version of the service. */
  version: string;
  state(): ProcessState;
  /** Checks of readiness while the process is running. */
  checks: Checks;
  /** Checks of what processes uploads, for a gateway. They do not change its readiness. */
  processing?: Checks;
  /** The metrics of the process, in the text format of Prometheus. */
  metrics: { contentType: string; text(): Promise<string> };
  logger: Logger;
}

/** Serves `GET /health/live`, `GET /health/ready` and `GET /metrics`. Health has the envelope of the gateway. */
export function createHealthServer(dependencies: HealthServerDependencies): Koa {
  const { version, state, metrics, logger } = dependencies;
  const app = new Koa();
  app.on('error', (error: Error) => logger.error({ err: error }, 'the answer about the health failed'));

  const askReadiness = cachedChecks(dependencies.checks, logger);
  const askProcessing = dependencies.processing && cachedChecks(dependencies.processing, logger);

  const pages: Record<string, (ctx: Koa.Context) => Promise<void>> = {
    '/health/live': async (ctx) => {
      ctx.body = { status: 'success', message: 'Alive.', data: { version } };
    },
    '/health/ready': async (ctx) => {
      const now = state();
      const results = now === 'running' ? await askReadiness() : { ok: false, checks: {} };
      const processing = askProcessing && (await askProcessing()).checks;
      ctx.status = results.ok ? 200 : 503;
      ctx.body = {
        status: results.ok ? 'success' : 'error',
        message: results.ok ? 'Ready.' : 'Not ready.',
        data: { version, state: now, checks: results.checks, ...(processing && { processing }) },
      };
    },
    '/metrics': async (ctx) => {
      ctx.body = await metrics.text();
      ctx.set('Content-Type', metrics.contentType);
    },
  };

  app.use(async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    const page = Object.hasOwn(pages, ctx.path) ? pages[ctx.path] : undefined;
    if (page && (ctx.method === 'GET' || ctx.method === 'HEAD')) return page(ctx);
    ctx.status = 404;
    ctx.body = { status: 'error', message: `No route has the path ${ctx.path}.` };
  });
  return app;
}
