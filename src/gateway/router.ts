/** Makes a Koa router from the route definitions. */
import { METHODS } from 'node:http';
import Router from '@koa/router';
import { z } from 'zod';
import { sendAnswer } from './answers.ts';
import type { GatewayDependencies } from './dependencies.ts';
import type { Addresses } from './error-page.ts';
import { HttpError } from './http-error.ts';
import { pageBytes, READ_BYTES } from './quotas/read-budgets.ts';
import { requirePermission } from './requirements.ts';
import type { GatewayContext, GatewayMiddleware, GatewayState, Route } from './route.ts';
import type { Caller } from './tokens/access-token.ts';
import { jsonBody, queryReader, valid } from './validate.ts';

/** Authenticates a caller and counts the request. @throws HttpError 401, 429, 500 */
export type Admit = (ctx: GatewayContext) => Promise<Caller>;
type Needs = Addresses & Pick<GatewayDependencies, 'readBudgets'>;

/** @param admit for every route with a permission */
export function createRouter(routes: readonly Route[], admit: Admit, needs: Needs): Router<GatewayState> {
  // The router knows every method that Node parses, so that it answers 405 instead of 501.
  const router = new Router<GatewayState>({ prefix: needs.basePath, methods: METHODS });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    router[route.method](route.operationId, path, serve(route, admit, needs));
  }
  return router;
}

/** Checks a request in the order of decision §refuse-before-the-body, and answers it. */
function serve(route: Route, admit: Admit, { readBudgets, ...addresses }: Needs): GatewayMiddleware {
  const { permission } = route;
  // Probes add parameters of their own to public routes.
  const query = route.query ?? (permission === undefined ? undefined : NO_PARAMETERS);
  const readQuery = query && queryReader(query);
  return async (ctx) => {
    const caller = permission === undefined ? undefined : await admit(ctx);
    if (caller && permission !== undefined) requirePermission(caller, permission);
    const query = readQuery?.(ctx.query);
    const params = route.params && valid(route.params, ctx.params, 'path');
    const budget = caller && readBudgets(caller, ctx.res);
    try {
      if (ctx.method === 'GET' || ctx.method === 'HEAD') await budget?.reserve(bytesOf(query));
      const body = route.body && valid(route.body, await jsonBody(ctx), 'body');
      const request = {
        params,
        query,
        body,
        ctx,
        get caller() {
          return caller ?? isPublic();
        },
        get budget() {
          return budget ?? isPublic();
        },
      };
      await sendAnswer(ctx, route, await route.handle(request), addresses);
      budget?.loaded(Buffer.isBuffer(ctx.body) ? ctx.body.length : undefined);
    } catch (error) {
      budget?.loaded(0);
      throw error;
    }
  };
}

const NO_PARAMETERS = z.object({});

function isPublic(): never {
  throw new Error('A public route has neither a caller nor a budget');
}

/** Memory that a GET reserves before its handler loads anything (decision §reading-has-a-budget). */
function bytesOf(query: unknown): number {
  const { limit } = (query ?? {}) as { limit?: unknown };
  return typeof limit === 'number' ? pageBytes(limit) : READ_BYTES;
}

/** Answers 405 with an envelope, and OPTIONS. To be used after the router. */
export function refuseOtherMethods(router: Router<GatewayState>): GatewayMiddleware {
  const allowedMethods = router.allowedMethods() as GatewayMiddleware;
  return async (ctx, next) => {
    await allowedMethods(ctx, next);
    if (ctx.status === 405) throw new HttpError('method_not_allowed');
  };
}
