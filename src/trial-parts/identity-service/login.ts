/** The login operation `postLogin` (interface §4.2): the same token as from the token endpoint, from a JSON body. */
import { bodyParser } from '@koa/bodyparser';
import type { Middleware } from 'koa';
import { z } from 'zod';

export const LOGIN_PATH = '/api/login';

export const credentials = z.object({
  client_id: z.string().min(1).meta({ example: 'demo-client' }),
  client_secret: z.string().min(1).meta({ example: 'demo-secret' }),
});

export function loginRoute(tokenUrl: string): Middleware {
  const parse = bodyParser({ enableTypes: ['json'] });
  return async (ctx, next) => {
    if (ctx.path !== LOGIN_PATH || ctx.method !== 'POST') return next();
    await parse(ctx, async () => {});
    const given = credentials.safeParse((ctx.request as { body?: unknown }).body);
    if (!given.success) {
      ctx.status = 400;
      ctx.body = { error: 'invalid_request', error_description: 'client_id and client_secret are required' };
      return;
    }
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials', ...given.data }),
    });
    ctx.status = answer.status;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = await answer.json();
  };
}
