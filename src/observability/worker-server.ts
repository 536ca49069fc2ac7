/** The HTTP server of a worker process: health for orchestrators, and metrics. */
import Koa from 'koa';
import type { Logger } from 'pino';
import { type Checks, cachedChecks, tellChecks } from '../http/health.ts';
import type { Exposition } from './metrics.ts';

/** A `draining` worker accepts no new tasks and finishes the running ones. */
export type WorkerState = 'starting' | 'running' | 'draining';

export interface WorkerServerDependencies {
  /** Version of the service. */
  version: string;
  state(): WorkerState;
  /** Checks of readiness while the worker is running. */
  checks: Checks;
  /** Null if metrics are switched off. */
  metrics: Exposition | null;
  logger: Logger;
}

/** Serves `GET /health/live`, `GET /health/ready` and `GET /metrics`. Health has the envelope of the gateway. */
export function createWorkerServer({
  version,
  state,
  checks,
  metrics,
  logger,
}: WorkerServerDependencies): Koa {
  const app = new Koa();
  app.on('error', (error: Error) => logger.error({ err: error }, 'the health of the worker was not told'));

  const runChecks = cachedChecks(checks, tellChecks(logger));

  const pages: Record<string, (ctx: Koa.Context) => Promise<void>> = {
    '/health/live': async (ctx) => {
      ctx.body = { status: 'success', message: 'Alive.', data: { version } };
    },
    '/health/ready': async (ctx) => {
      const now = state();
      const results = now === 'running' ? await runChecks() : { ok: false, checks: {} };
      ctx.status = results.ok ? 200 : 503;
      ctx.body = {
        status: results.ok ? 'success' : 'error',
        message: results.ok ? 'Ready.' : 'Not ready.',
        data: { version, state: now, checks: results.checks },
      };
    },
    ...(metrics && {
      '/metrics': async (ctx: Koa.Context) => {
        ctx.body = await metrics.text();
        ctx.set('Content-Type', metrics.contentType);
      },
    }),
  };

  app.use(async (ctx) => {
    ctx.set('Cache-Control', 'no-store');
    const page = Object.hasOwn(pages, ctx.path) ? pages[ctx.path] : undefined;
    if (page && (ctx.method === 'GET' || ctx.method === 'HEAD')) return page(ctx);
    ctx.status = 404;
    ctx.body = { status: 'error', message: `There is nothing at ${ctx.method} ${ctx.path}.` };
  });
  return app;
}
