/** Makes a Koa router from the route definitions. */
import { hash } from 'node:crypto';
import { METHODS } from 'node:http';
import type { Readable } from 'node:stream';
import Router from '@koa/router';
import { z } from 'zod';
import type { GatewayDependencies } from './dependencies.ts';
import { type Addresses, linkBase } from './error-page.ts';
import { HttpError } from './http-error.ts';
import { announceEnd, jsonBody, limitReads, requirePermission } from './middleware.ts';
import {
  budgetIn,
  callerIn,
  type FileAnswer,
  type GatewayContext,
  type GatewayMiddleware,
  type GatewayState,
  isPaged,
  isPolled,
  type Route,
} from './route.ts';
import { jsonStream, StreamedData } from './streams.ts';
import { valid, validQuery } from './validate.ts';

const NO_PARAMETERS = z.object({});

/**
 * @param protect middleware of every route with a permission; it sets `ctx.state.caller`
 */
export function createRouter(
  routes: readonly Route[],
  protect: readonly GatewayMiddleware[],
  { readBudgets, ...addresses }: Addresses & Pick<GatewayDependencies, 'readBudgets'>,
): Router<GatewayState> {
  // The router knows every method that Node parses, so that it answers 405 instead of 501.
  const router = new Router<GatewayState>({ prefix: addresses.basePath, methods: METHODS });
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1');
    // Probes add parameters of their own to public routes.
    const query = route.query ?? (route.permission === undefined ? undefined : NO_PARAMETERS);
    const middleware: GatewayMiddleware[] = [
      ...(route.deprecated === undefined ? [] : [announceEnd(route.deprecated)]),
      ...(route.permission === undefined ? [] : [...protect, requirePermission(route.permission)]),
      ...(query === undefined ? [] : [validQuery(query)]),
      ...(route.permission === undefined ? [] : [limitReads(readBudgets)]),
      ...(route.body === undefined ? [] : [jsonBody()]),
      ...(route.before ?? []),
      handler(route, addresses),
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

function handler(route: Route, addresses: Addresses): GatewayMiddleware {
  const isConditional = isPolled(route);
  return async (ctx) => {
    const answer = await route.handle({
      params: route.params && valid(route.params, ctx.params, 'path'),
      query: ctx.state.query,
      body: route.body && valid(route.body, (ctx.request as { body?: unknown }).body, 'body'),
      // Public routes have neither.
      get caller() {
        return callerIn(ctx.state);
      },
      get budget() {
        return budgetIn(ctx.state);
      },
      state: ctx.state,
      http: ctx,
    });
    if ('stream' in answer) {
      sendFile(ctx, route, answer);
      return;
    }
    const { status = firstStatus(route), message, version, headers = {} } = answer;
    ctx.status = status;
    ctx.set(headers);
    if (version !== undefined && isUnchanged(ctx, version)) return;
    const data = typeof answer.data === 'function' ? await answer.data() : answer.data;
    const nextBefore = isPaged(route) ? (data as Paged).next_before : null;
    if (nextBefore !== null) ctx.append('Link', nextLink(ctx, nextBefore, addresses));
    ctx.type = JSON_TYPE;
    if (data instanceof StreamedData) {
      send(ctx, jsonStream({ status: 'success', message }, data));
      return;
    }
    const json = JSON.stringify({ status: 'success', message, data });
    if (isConditional && isUnchanged(ctx, json)) return;
    // As a buffer the answer has a known size, and it is in memory once while it is sent.
    ctx.body = Buffer.from(json);
  };
}

const firstStatus = ({ answers }: Route) => Number(Object.keys(answers)[0]);

/** The type of the envelope (interface §2.3). */
const JSON_TYPE = 'application/json; charset=utf-8';

function sendFile(ctx: GatewayContext, route: Route, file: FileAnswer): void {
  const { stream, fileName, status = firstStatus(route), headers = {} } = file;
  const description = route.answers[status];
  ctx.status = status;
  ctx.attachment(fileName);
  if (description && 'contentType' in description) ctx.type = description.contentType;
  send(ctx, stream);
  ctx.set(headers);
}

/** An error resets the connection: to a client of HTTP/1.0 its end would be that of the answer. */
function send(ctx: GatewayContext, body: Readable | null): void {
  ctx.body = body?.once('error', () => ctx.req.socket.resetAndDestroy());
}

/**
 * Conditional GET (RFC 9110 §13.1.2): sets the answer's `ETag`. Makes the answer a 304 without a body if the client has
 * that tag already.
 *
 * Koa's `ctx.fresh` does not serve here: it ignores `If-None-Match` if the request has `Cache-Control: no-cache`, and
 * every `fetch` sends both.
 *
 * @param content the answer itself, or its version
 */
function isUnchanged(ctx: GatewayContext, content: string): boolean {
  const tag = `"${hash('sha256', content, 'base64url')}"`;
  ctx.etag = `W/${tag}`;
  ctx.set('Cache-Control', 'private, no-cache');
  if (!isKnown(ctx, tag)) return false;
  ctx.status = 304;
  return true;
}

/** Whether `If-None-Match` has the tag, by weak comparison. @param tag without `W/` */
export function isKnown(http: Pick<GatewayContext, 'get'>, tag: string): boolean {
  const known = http.get('if-none-match').split(',');
  return known.some((one) => ['*', tag, `W/${tag}`].includes(one.trim()));
}

/**
 * The `Link` to the request's URL with another `before`. The link is absolute if `publicUrl` is known. Otherwise it is a
 * relative reference (RFC 3986 §5), because a proxy may have changed the host.
 */
function nextLink(
  { path, querystring }: Pick<GatewayContext, 'path' | 'querystring'>,
  before: number | string,
  addresses: Addresses,
): string {
  const query = new URLSearchParams(querystring);
  query.set('before', String(before));
  const target = linkBase(addresses) + path.slice(addresses.basePath.length);
  return `<${target}?${query}>; rel="next"`;
}
