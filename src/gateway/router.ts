/** From route definitions to Koa. */
import { METHODS } from 'node:http';
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import pTimeout from 'p-timeout';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { badRequest, HttpError, missingPermission } from './http-error.ts';
import { conditionalGet } from './middleware/conditional-get.ts';
import { inviteBody } from './middleware/linger.ts';
import { type FileAnswer, isPolled, type Route } from './route.ts';
import type { Caller } from './tokens/access-token.ts';

const JSON_BODY_LIMIT = '64kb';
/** For a JSON body to arrive; an upload has an idle timeout of its own. */
const JSON_BODY_MS = 30_000;
const NOBODY: Caller = { clientId: '', permissions: new Set() };

/** @param protect what a request to a route with a permission passes first; it sets `ctx.state.caller` */
export function createRouter(
  routes: readonly Route[],
  protect: readonly Middleware[],
  basePath: string,
): Router {
  // Every method that Node lets through is known: where a path does not have it, that is 405, not 501.
  const router = new Router({ prefix: basePath, methods: METHODS });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    const middleware: Middleware[] = [
      ...(route.permission === undefined ? [] : [...protect, requirePermission(route.permission)]),
      ...(isPolled(route) ? [conditionalGet()] : []),
      ...(route.body === undefined ? [] : [jsonBody()]),
      ...(route.before ?? []),
      handler(route),
    ];
    router[route.method](route.operationId, path, ...middleware);
  }
  return router;
}

/** 405 with an envelope, and OPTIONS; to be used behind the router. */
export function refuseOtherMethods(router: Router): Middleware {
  const allowedMethods = router.allowedMethods() as Middleware;
  return async (ctx, next) => {
    await allowedMethods(ctx, next);
    if (ctx.status === 405)
      throw new HttpError(405, 'This path does not know the method; see the header Allow.');
  };
}

export function requirePermission(permission: string): Middleware {
  return async (ctx, next) => {
    if (!(ctx.state.caller as Caller).permissions.has(permission)) throw missingPermission(permission);
    await next();
  };
}

export function jsonBody(limit = JSON_BODY_LIMIT): Middleware {
  const parse = bodyParser({ enableTypes: ['json'], jsonLimit: limit, jsonStrict: false });
  return async (ctx, next) => {
    if (ctx.is('json') === false) throw badRequest('The body must be application/json.');
    inviteBody(ctx.req, ctx.res);
    const late = new HttpError(408, `The body did not arrive within ${JSON_BODY_MS / 1000} s.`);
    try {
      await pTimeout(
        parse(ctx, async () => {}),
        { milliseconds: JSON_BODY_MS, message: late },
      );
    } catch (error) {
      const { status } = error as { status?: number };
      if (status === 408) throw error;
      if (status === 413) throw new HttpError(413, `The JSON body is larger than ${limit}.`);
      throw badRequest('The body is not valid JSON.');
    }
    await next();
  };
}

function handler(route: Route): Middleware {
  return async (ctx) => {
    const answer = await route.handle({
      params: valid(route.params, ctx.params, 'path'),
      query: valid(route.query, ctx.query, 'query'),
      body: valid(route.body, (ctx.request as { body?: unknown }).body, 'body'),
      caller: (ctx.state.caller as Caller | undefined) ?? NOBODY,
      requestId: ctx.state.requestId as string,
      log: ctx.state.log as Logger,
      ctx: ctx as Context,
    });
    if ('stream' in answer) {
      sendFile(ctx, route, answer);
      return;
    }
    const status = answer.status ?? Number(Object.keys(route.answers)[0]);
    ctx.status = status;
    if (answer.headers) ctx.set(answer.headers);
    ctx.body = { status: status < 400 ? 'success' : 'error', message: answer.message, data: answer.data };
  };
}

function sendFile(ctx: Context, { answers }: Route, { stream, fileName }: FileAnswer): void {
  const [[status, description] = ['500', undefined]] = Object.entries(answers);
  ctx.status = Number(status);
  ctx.attachment(fileName);
  if (description && 'contentType' in description) ctx.type = description.contentType;
  ctx.body = stream;
}

function valid(schema: z.ZodType | undefined, value: unknown, where: string): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw badRequest(`The ${where} is invalid: ${faults.join('; ')}.`);
}
