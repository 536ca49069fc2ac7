/** From route definitions to Koa. */
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { badRequest, HttpError, missingPermission } from './http-error.ts';
import type { Caller } from './middleware/authenticate.ts';
import type { Route } from './route.ts';

const JSON_BODY_LIMIT = '64kb';
const NOBODY: Caller = { clientId: '', permissions: new Set() };

export function createRouter(routes: readonly Route[], authenticate: Middleware, basePath: string): Router {
  const router = new Router({ prefix: basePath, methods: ['GET', 'HEAD', 'POST', 'DELETE'] });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    const middleware: Middleware[] = [
      ...(route.permission === undefined ? [] : [authenticate, requirePermission(route.permission)]),
      ...(route.body === undefined ? [] : [jsonBody()]),
      ...(route.before ?? []),
      handler(route),
    ];
    router[route.method](route.operationId, path, ...middleware);
  }
  return router;
}

/** 405 and the like with an envelope; to be used behind the router. */
export function refuseOtherMethods(router: Router): Middleware {
  return router.allowedMethods({
    throw: true,
    methodNotAllowed: () => new HttpError(405, 'This path does not know the method; see the header Allow.'),
    notImplemented: () => new HttpError(501, 'The method is not implemented.'),
  }) as Middleware;
}

function requirePermission(permission: string): Middleware {
  return async (ctx, next) => {
    if (!(ctx.state.caller as Caller).permissions.has(permission)) throw missingPermission(permission);
    await next();
  };
}

function jsonBody(): Middleware {
  const parse = bodyParser({ enableTypes: ['json'], jsonLimit: JSON_BODY_LIMIT, jsonStrict: false });
  return async (ctx, next) => {
    try {
      await parse(ctx, async () => {});
    } catch (error) {
      const { status } = error as { status?: number };
      if (status === 413) throw new HttpError(413, `The JSON body is larger than ${JSON_BODY_LIMIT}.`);
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
    const status = answer.status ?? Number(Object.keys(route.answers)[0]);
    ctx.status = status;
    if (answer.headers) ctx.set(answer.headers);
    ctx.body = { status: status < 400 ? 'success' : 'error', message: answer.message, data: answer.data };
  };
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
