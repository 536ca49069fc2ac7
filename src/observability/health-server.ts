/** The HTTP server of a process for orchestrators and Prometheus: health and metrics, on a port that clients do not reach. */
import Koa from 'koa';
import type { Logger } from 'pino';
import { type Checks, cachedChecks, tellChecks } from '../http/health.ts';
import type { Exposition } from './metrics.ts';

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
  metrics: Exposition;
  logger: Logger;
}

/** Serves `GET /health/live`, `GET /health/ready` and `GET /metrics`. Health has the envelope of the gateway. */
export function createHealthServer(dependencies: HealthServerDependencies): Koa {
  const { version, state, metrics, logger } = dependencies;
  const app = new Koa();
  app.on('error', (error: Error) => logger.error({ err: error }, 'the answer about the health failed'));

  const tell = tellChecks(logger);
  const askReadiness = cachedChecks(dependencies.checks, tell);
  const askProcessing = dependencies.processing && cachedChecks(dependencies.processing, tell);

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
