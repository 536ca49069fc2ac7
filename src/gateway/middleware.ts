/** Middleware that the definition of a route asks for. */
import { bodyParser } from '@koa/bodyparser';
import type { Middleware } from 'koa';
import pTimeout from 'p-timeout';
import type { Permission } from '../contract/operations.ts';
import type { Deprecation } from '../contract/schemas/operation.ts';
import { sessionMessage } from '../domain/regulator.ts';
import { inviteBody } from '../http/lingering-close.ts';
import type { GatewayDependencies } from './dependencies.ts';
import { badRequest, HttpError, missingPermission, sessionRequired } from './http-error.ts';
import { pageBytes, READ_BYTES, type ReadBudgets } from './quotas/read-budgets.ts';
import { callerIn, type GatewayContext, type GatewayMiddleware, type GatewayState } from './route.ts';

/**
 * Announces the end of a deprecated route in every answer (interface §9). `Deprecation` is a structured date
 * (RFC 9745 §2), `Sunset` an HTTP date (RFC 8594 §3).
 */
export function announceEnd({ since, sunset }: Deprecation): GatewayMiddleware {
  const headers = {
    Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    Sunset: sunset.toUTCString(),
  };
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}

/** Makes middleware that runs for some requests only. */
export function runIf(condition: (ctx: GatewayContext) => boolean) {
  return (middleware: GatewayMiddleware): GatewayMiddleware =>
    (ctx, next) =>
      condition(ctx) ? middleware(ctx, next) : next();
}

/** To be used after authentication. */
export function requirePermission(permission: Permission): GatewayMiddleware {
  return async (ctx, next) => {
    if (!callerIn(ctx.state).permissions.has(permission)) throw missingPermission(permission);
    await next();
  };
}

/** Size of a JSON body, and the time in which it has to arrive. An upload has an idle timeout of its own. */
const JSON_LIMIT = '64kb';
const JSON_TIME_MS = 30_000;

/** Reads a JSON body into `ctx.request.body`. */
export function jsonBody(): Middleware {
  const parse = bodyParser({ enableTypes: ['json'], jsonLimit: JSON_LIMIT, jsonStrict: false });
  return async (ctx, next) => {
    if (ctx.is('json') === false) throw badRequest('The body must be application/json.');
    inviteBody(ctx.req, ctx.res);
    const late = new HttpError('request_timeout', `The body did not arrive within ${JSON_TIME_MS / 1000} s.`);
    try {
      await pTimeout(
        parse(ctx, async () => {}),
        { milliseconds: JSON_TIME_MS, message: late },
      );
    } catch (error) {
      const { status } = error as { status?: number };
      if (status === 408) throw error;
      if (status === 413)
        throw new HttpError('body_too_large', `The JSON body is larger than ${JSON_LIMIT}.`);
      throw badRequest('The body is not valid JSON.');
    }
    await next();
  };
}

/** Requires an active regulator session: without one, no accepted product could be inserted. */
export function requireSession(sessions: GatewayDependencies['sessions']): GatewayMiddleware {
  return async (_ctx, next) => {
    const state = await sessions.state();
    if (state.status !== 'active') throw sessionRequired(sessionMessage(state), state.status);
    await next();
  };
}

/**
 * Limits what a protected route loads (decision §reading-has-a-budget). Sets `ctx.state.budget`. A GET reserves before its
 * handler loads anything; the handler of another request may do so. To be used after authentication and the validation of
 * the query.
 */
export function limitReads(readBudgets: ReadBudgets): GatewayMiddleware {
  return async (ctx, next) => {
    const budget = readBudgets(callerIn(ctx.state), ctx.res);
    ctx.state.budget = budget;
    try {
      if (ctx.method === 'GET' || ctx.method === 'HEAD') await budget.reserve(bytesOf(ctx.state.query));
      await next();
      budget.loaded(Buffer.isBuffer(ctx.body) ? ctx.body.length : undefined);
    } catch (error) {
      budget.loaded(0);
      throw error;
    }
  };
}

function bytesOf(query: GatewayState['query']): number {
  const { limit } = query ?? {};
  return typeof limit === 'number' ? pageBytes(limit) : READ_BYTES;
}
