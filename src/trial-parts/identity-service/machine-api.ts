/**
 * The API of the embedded identity service for machine clients: the login with a JSON body, and the OpenAPI
 * description.
 */
import { bodyParser } from '@koa/bodyparser';
import type { Middleware } from 'koa';
import { z } from 'zod';
import { createDocument } from 'zod-openapi';

const LOGIN_PATH = '/api/login';

const credentials = z.object({
  client_id: z.string().min(1).meta({ example: 'demo-client' }),
  client_secret: z.string().min(1).meta({ example: 'demo-secret' }),
});

/** The operation `postLogin` (interface §4.2): the same token as from the token endpoint, from a JSON body. */
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

const token = z
  .object({
    access_token: z.string().meta({ description: 'JWT (RFC 9068)' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds', example: 900 }),
    scope: z.string().optional(),
  })
  .meta({ id: 'Token' });

const oauthError = z
  .object({ error: z.string(), error_description: z.string().optional() })
  .meta({ id: 'OAuthError' });

const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
});

export function describeIdentityService(issuer: string) {
  const answers = {
    200: json('The access token', token),
    400: json('Invalid request or unknown client', oauthError),
    401: json('Wrong client secret', oauthError),
  };
  const form = z.object({ grant_type: z.literal('client_credentials'), ...credentials.shape });
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Identity service',
      version: '1.0.0',
      description: 'Issues access tokens to machine clients.',
    },
    servers: [{ url: issuer }],
    paths: {
      '/oauth2/token': {
        post: {
          operationId: 'postToken',
          summary: 'Obtain an access token by client credentials',
          tags: ['authentication'],
          requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema: form } } },
          responses: answers,
        },
      },
      [LOGIN_PATH]: {
        post: {
          operationId: 'postLogin',
          summary: 'Obtain the same token with a JSON body',
          tags: ['authentication'],
          requestBody: { required: true, content: { 'application/json': { schema: credentials } } },
          responses: answers,
        },
      },
      '/oauth2/jwks': {
        get: {
          operationId: 'getKeys',
          summary: 'Get the public keys of the tokens (RFC 7517)',
          tags: ['keys'],
          responses: {
            200: json('The key set', z.object({ keys: z.array(z.record(z.string(), z.unknown())) })),
          },
        },
      },
    },
  });
}
