/** OpenAPI description of the embedded identity service. */
import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import { credentials, LOGIN_PATH } from './login.ts';

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
