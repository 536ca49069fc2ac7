/** Makes a Koa router from the route definitions. */
import { METHODS } from 'node:http';
import Router from '@koa/router';
import type { Context } from 'koa';
import { z } from 'zod';
import { linkBase } from './error-page.ts';
import { HttpError } from './http-error.ts';
import {
  announceEnd,
  conditionalGet,
  isUnchanged,
  JSON_TYPE,
  jsonBody,
  limitReads,
  requirePermission,
} from './middleware.ts';
import type { Reads } from './quotas/reads.ts';
import {
  type FileAnswer,
  type GatewayContext,
  type GatewayMiddleware,
  type GatewayState,
  isPaged,
  isPolled,
  type Route,
} from './route.ts';
import { jsonStream, StreamedData } from './streams.ts';
import type { Caller } from './tokens/access-token.ts';
import { valid, validQuery } from './validate.ts';

const NOBODY: Caller = { clientId: '', tenant: '', actor: '', permissions: new Set(), submitters: [] };

const NO_PARAMETERS = z.object({});

/**
 * @param protect middleware of every route with a permission; it sets `ctx.state.caller`
 * @param reads limits what these routes load
 * @param publicUrl the gateway's URL as clients see it, base path included; null if it is not known
 */
export function createRouter(
  routes: readonly Route[],
  { protect, reads }: { protect: readonly GatewayMiddleware[]; reads: Reads },
  { basePath, publicUrl }: { basePath: string; publicUrl: string | null },
): Router<GatewayState> {
  // The router knows every method that Node parses, so that it answers 405 instead of 501.
  const router = new Router<GatewayState>({ prefix: basePath, methods: METHODS });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    // Probes add parameters of their own to public routes.
    const query = route.query ?? (route.permission === undefined ? undefined : NO_PARAMETERS);
    const middleware: GatewayMiddleware[] = [
      ...(route.deprecated === undefined ? [] : [announceEnd(route.deprecated)]),
      ...(route.permission === undefined ? [] : [...protect, requirePermission(route.permission)]),
      ...(query === undefined ? [] : [validQuery(query)]),
      ...(route.permission === undefined ? [] : [limitReads(reads)]),
      ...(isPolled(route) ? [conditionalGet()] : []),
      ...(route.body === undefined ? [] : [jsonBody()]),
      ...(route.before ?? []),
      handler(route, (ctx, before) => nextLink(ctx, before, { basePath, publicUrl })),
    ];
    router[route.method](route.operationId, path, ...middleware);
  }
  return router;
}

/** Answers 405 with an envelope, and OPTIONS. To be used after the router. */
export function refuseOtherMethods(router: Router<GatewayState>): GatewayMiddleware {
  const allowedMethods = router.allowedMethods() as GatewayMiddleware;
  return async (ctx, next) => {
    await allowedMethods(ctx, next);
    if (ctx.status === 405)
      throw new HttpError(
        'method_not_allowed',
        'This path does not support the method. The header Allow lists its methods.',
      );
  };
}

/** A page of a list, with the `before` of the next page. */
interface Paged {
  next_before: number | string | null;
}

function handler(
  route: Route,
  linkTo: (ctx: GatewayContext, nextBefore: number | string) => string,
): GatewayMiddleware {
  return async (ctx) => {
    const answer = await route.handle({
      params: route.params && valid(route.params, ctx.params, 'path'),
      query: ctx.state.query,
      body: route.body && valid(route.body, (ctx.request as { body?: unknown }).body, 'body'),
      caller: ctx.state.caller ?? NOBODY,
      requestId: ctx.state.requestId,
      log: ctx.state.log,
      state: ctx.state,
      http: ctx,
    });
    if ('stream' in answer) {
      sendFile(ctx, route, answer);
      return;
    }
    if ('read' in answer) {
      const { message, version, read } = answer;
      if (!isUnchanged(ctx, version)) send(ctx, 'success', message, await read());
      return;
    }
    const status = answer.status ?? Number(Object.keys(route.answers)[0]);
    ctx.status = status;
    if (answer.headers) ctx.set(answer.headers);
    const nextBefore = isPaged(route) ? (answer.data as Paged).next_before : null;
    if (nextBefore !== null) ctx.append('Link', linkTo(ctx, nextBefore));
    send(ctx, status < 400 ? 'success' : 'error', answer.message, answer.data);
  };
}

/** The envelope (interface §2.3). */
function send(ctx: GatewayContext, status: 'success' | 'error', message: string, data: unknown): void {
  if (!(data instanceof StreamedData)) {
    ctx.body = { status, message, data };
    return;
  }
  ctx.type = JSON_TYPE;
  ctx.body = jsonStream({ status, message }, data);
}

function sendFile(ctx: GatewayContext, { answers }: Route, file: FileAnswer): void {
  const { stream, fileName, status = Number(Object.keys(answers)[0]), headers = {} } = file;
  const description = answers[status];
  ctx.status = status;
  ctx.attachment(fileName);
  if (description && 'contentType' in description) ctx.type = description.contentType;
  ctx.body = stream;
  ctx.set(headers);
}

/**
 * The `Link` to the request's URL with another `before`. The link is absolute if `publicUrl` is known. Otherwise it is a
 * relative reference (RFC 3986 §5), because a proxy may have changed the host.
 *
 * @param publicUrl base path included
 */
function nextLink(
  { path, querystring }: Pick<Context, 'path' | 'querystring'>,
  before: number | string,
  { basePath, publicUrl }: { basePath: string; publicUrl: string | null },
): string {
  const query = new URLSearchParams(querystring);
  query.set('before', String(before));
  const target = linkBase({ basePath, publicUrl }) + path.slice(basePath.length);
  return `<${target}?${query}>; rel="next"`;
}
