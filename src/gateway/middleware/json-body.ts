/** Reads a JSON body into `ctx.request.body`. */
import { bodyParser } from '@koa/bodyparser';
import type { Middleware } from 'koa';
import pTimeout from 'p-timeout';
import { badRequest, HttpError } from '../http-error.ts';
import { inviteBody } from './linger.ts';

const LIMIT = '64kb';
/** Timeout of the body. An upload has an idle timeout of its own. */
const TIME_MS = 30_000;

export function jsonBody(): Middleware {
  const parse = bodyParser({ enableTypes: ['json'], jsonLimit: LIMIT, jsonStrict: false });
  return async (ctx, next) => {
    if (ctx.is('json') === false) throw badRequest('The body must be application/json.');
    inviteBody(ctx.req, ctx.res);
    const late = new HttpError('request_timeout', `The body did not arrive within ${TIME_MS / 1000} s.`);
    try {
      await pTimeout(
        parse(ctx, async () => {}),
        { milliseconds: TIME_MS, message: late },
      );
    } catch (error) {
      const { status } = error as { status?: number };
      if (status === 408) throw error;
      if (status === 413) throw new HttpError('body_too_large', `The JSON body is larger than ${LIMIT}.`);
      throw badRequest('The body is not valid JSON.');
    }
    await next();
  };
}
