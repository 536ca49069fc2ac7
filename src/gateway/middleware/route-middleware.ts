/** Middleware that the definition of a route asks for. */

import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { bodyParser } from '@koa/bodyparser';
import type { Context, Middleware } from 'koa';
import pTimeout from 'p-timeout';
import type { z } from 'zod';
import type { Permission } from '../../contract/operations.ts';
import type { Deprecation } from '../../contract/schemas/operation.ts';
import { inviteBody } from '../../http/lingering-close.ts';
import { badRequest, HttpError, missingPermission } from '../http-error.ts';
import { callerIn, type GatewayMiddleware } from '../state.ts';
import { valid } from '../validate.ts';

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

/** To be used after authentication. */
export function requirePermission(permission: Permission): GatewayMiddleware {
  return async (ctx, next) => {
    if (!callerIn(ctx.state).permissions.has(permission)) throw missingPermission(permission);
    await next();
  };
}

/**
 * Sets `ctx.state.query` before the body is read (decision §refuse-before-the-body). An unknown parameter is
 * refused: `?stauts=failed` would show everything, and `?dryrun=true` would import for real.
 *
 * @param query the route's schema
 */
export function validQuery(query: z.ZodObject): GatewayMiddleware {
  const strict = query.strict();
  const known = Object.keys(query.shape).join(', ');
  const unknown: z.core.$ZodErrorMap = (issue) => {
    if (issue.code !== 'unrecognized_keys') return undefined;
    const names = issue.keys.map((name) => JSON.stringify(name)).join(', ');
    return `${names} ${issue.keys.length > 1 ? 'are' : 'is'} unknown; the parameters are ${known}`;
  };
  return async (ctx, next) => {
    ctx.state.query = valid(strict, ctx.query, 'query', unknown);
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

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Conditional GET: answers that are polled carry an `ETag`. A client that sends it back in `If-None-Match` gets 304
 * without a body while nothing has changed (RFC 9110 §13.1.2).
 *
 * Koa's `ctx.fresh` does not serve here: it ignores `If-None-Match` if the request has `Cache-Control: no-cache`, and
 * every `fetch` sends both.
 */
export function conditionalGet(): Middleware {
  return async (ctx, next) => {
    await next();
    // A streamed answer has its tag already, from the version of its data.
    if (ctx.status !== 200 || ctx.body instanceof Readable) return;
    const body = JSON.stringify(ctx.body);
    // A route with a cheaper tag has set and compared it before it made the answer.
    if (ctx.response.headers.etag === undefined && isUnchanged(ctx, body)) return;
    ctx.type = JSON_TYPE;
    ctx.body = body;
  };
}

/**
 * Sets the answer's `ETag`. Makes the answer a 304 if the client has that tag already.
 *
 * @param content the answer itself, or its version
 */
export function isUnchanged(ctx: Pick<Context, 'get' | 'set' | 'etag' | 'status'>, content: string): boolean {
  const tag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  ctx.etag = `W/${tag}`;
  ctx.set('Cache-Control', 'private, no-cache');
  if (!listHas(ctx.get('if-none-match'), tag)) return false;
  ctx.status = 304;
  return true;
}

/** Whether a list of tags contains `tag`, by weak comparison. */
function listHas(list: string, tag: string): boolean {
  return list.split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim()));
}
