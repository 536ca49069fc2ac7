/** Health checks of a process, and the HTTP server that shows them to orchestrators, with metrics for Prometheus. */

import Koa from 'koa';
import pTimeout from 'p-timeout';
import type { Logger } from 'pino';
import { createSingleFlightCache } from '../common/single-flight-cache.ts';
import { messageOf } from '../common/text.ts';

/** Public result of a failing check. The reason stays in the log, because it may name hosts, users and addresses. */
const FAILED = 'failed';
/** Time for which the results are cached. */
const FRESH_MS = 1_000;

/** Each rejects with the reason of its failure. */
export type Checks = Readonly<Record<string, () => Promise<void>>>;

export interface CheckResults {
  ok: boolean;
  /** By name: `ok` or `failed`. */
  checks: Record<string, string>;
}

const CHECK_TIMEOUT_MS = 3_000;

/**
 * The checks of a process, cached for a second and single-flight, so that frequent requests cost nothing.
 *
 * @param tell gets the reason of a check that has begun to fail, for the log; null once the check works again
 */
export function cachedChecks(
  checks: Checks,
  tell: (name: string, reason: string | null) => void,
): () => Promise<CheckResults> {
  const failing = new Map<string, string>();

  async function ask(): Promise<CheckResults> {
    const { ok, checks: outcomes } = await runChecks(checks);
    for (const [name, outcome] of Object.entries(outcomes)) {
      if (outcome !== 'ok' && failing.get(name) !== outcome) tell(name, outcome);
      if (outcome === 'ok' && failing.has(name)) tell(name, null);
      if (outcome === 'ok') failing.delete(name);
      else failing.set(name, outcome);
    }
    const told = Object.entries(outcomes).map(([name, outcome]) => [name, outcome === 'ok' ? 'ok' : FAILED]);
    return { ok, checks: Object.fromEntries(told) };
  }

  return createSingleFlightCache(ask, () => FRESH_MS).ask;
}

/** Logs when a check begins to fail, with the reason, and when it works again. */
export function tellChecks(logger: Logger): (check: string, reason: string | null) => void {
  return (check, reason) => {
    if (reason === null) logger.info({ check }, 'a readiness check passes again');
    else logger.warn({ check, reason }, 'a readiness check fails');
  };
}

/** Runs the checks. The results contain the reasons. */
async function runChecks(checks: Checks): Promise<CheckResults> {
  const names = Object.keys(checks);
  const outcomes = await Promise.all(Object.values(checks).map(outcomeOf));
  return {
    ok: outcomes.every((outcome) => outcome === 'ok'),
    checks: Object.fromEntries(names.map((name, index) => [name, outcomes[index] ?? 'ok'])),
  };
}

async function outcomeOf(check: () => Promise<void>): Promise<string> {
  try {
    await pTimeout(check(), { milliseconds: CHECK_TIMEOUT_MS, message: 'no answer in time' });
    return 'ok';
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
