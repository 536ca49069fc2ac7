/** Makes the OpenAPI 3.1 description from the route definitions. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { PERMISSION_MEANINGS, type Permission } from '../contract/operations.ts';
import { envelope, errorEnvelope } from '../contract/schemas/common.ts';
import { ANSWER_HEADERS, type AnswerHeader, headersOf } from '../contract/schemas/headers.ts';
import { TAGS } from '../contract/schemas/operation.ts';
import { messageHeaders, WEBHOOK_MESSAGES } from '../contract/schemas/webhook-messages.ts';
import { commonExamples, examplesOf } from './api-examples.ts';
import { isPaged, isPolled, type Route } from './route.ts';

const PROTECTED_ERRORS: Readonly<Record<number, string>> = {
  400: 'Invalid parameters or body',
  401: 'The access token is missing, invalid, expired, or issued by another identity service',
  403: "The token lacks the route's permission",
  429: 'Too many requests of this client, or too many answers at the same time; retry after `Retry-After` seconds',
};
const COMMON_ERRORS: Readonly<Record<number, string>> = {
  431: 'The headers of the request, or its address, have more than 16 KB',
  500: 'An internal error of the service',
};
const BODY_ERRORS: Readonly<Record<number, string>> = {
  408: 'The body did not arrive in time',
  413: 'The body is too large',
};

interface ApiInfo {
  version: string;
  basePath: string;
  /** URL of the identity service's token endpoint. Null if it is not known. */
  tokenUrl: string | null;
}

export function describeApi(routes: readonly Route[], { version, basePath, tokenUrl }: ApiInfo) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = basePath + route.path;
    paths[path] = { ...paths[path], [route.method]: operationOf(route, tokenUrl !== null) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Package import service',
      version,
      description: "Imports packages of product submissions into the regulator's system.",
    },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhookMessages(),
    components: {
      headers: ANSWER_HEADERS,
      examples: commonExamples(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        ...(tokenUrl !== null && {
          oauth2: {
            type: 'oauth2' as const,
            // For identity services that grant permissions as scopes (decision §access-tokens-only).
            flows: { clientCredentials: { tokenUrl, scopes: PERMISSION_MEANINGS } },
          },
        }),
      },
    },
  });
}

function webhookMessages(): ZodOpenApiPathsObject {
  const events = Object.entries(WEBHOOK_MESSAGES).map(([event, { summary, message }]) => [
    event,
    {
      post: {
        operationId: event,
        summary,
        tags: ['Webhooks'],
        requestParams: { header: messageHeaders },
        requestBody: { required: true, content: { 'application/json': { schema: message } } },
        responses: {
          '2XX': { description: 'The message is accepted' },
          410: { description: 'The receiver no longer exists: the message is not sent again' },
          default: { description: 'The message is sent again, for a day' },
        },
      },
    },
  ]);
  return Object.fromEntries(events);
}

/** Either any bearer token, or one requested from the token endpoint with the scope of the operation. */
function securityOf(permission: Permission, hasTokenUrl: boolean) {
  return [{ bearer: [] }, ...(hasTokenUrl ? [{ oauth2: [permission] }] : [])];
}

function operationOf(route: Route, hasTokenUrl: boolean): ZodOpenApiOperationObject {
  const { operationId, summary, description, tag, permission, params, query, headers, body, multipart } =
    route;
  const errors: Readonly<Record<number, string>> = {
    ...((body || multipart) && BODY_ERRORS),
    ...(permission !== undefined && PROTECTED_ERRORS),
    ...COMMON_ERRORS,
    ...route.errors,
  };
  return {
    operationId,
    summary,
    tags: [tag],
    ...(description !== undefined && { description }),
    ...(permission !== undefined && {
      security: securityOf(permission, hasTokenUrl),
      'x-required-permission': permission,
    }),
    ...((params || query || headers) && { requestParams: requestParams(route) }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    ...(multipart && {
      requestBody: { required: true, content: { 'multipart/form-data': multipartBody(multipart) } },
    }),
    responses: responsesOf(route, errors),
  };
}

function responsesOf(route: Route, errors: Readonly<Record<number, string>>) {
  const refused = Object.entries(errors).map(([status, meaning]) => [
    status,
    response(route, Number(status), meaning, errorEnvelope),
  ]);
  const answered = Object.entries(route.answers).map(([status, answer]) => [
    status,
    success(route, Number(status), answer, errors[Number(status)]),
  ]);
  const unchanged = {
    description: 'Nothing has changed since the answer with this ETag',
    headers: headersOf(route, 304, ['ETag']),
  };
  return {
    ...Object.fromEntries([...refused, ...answered]),
    ...((isPolled(route) || 'if-none-match' in (route.headers?.shape ?? {})) && { 304: unchanged }),
  };
}

/**
 * The content type of the file is a hint: the gateway checks the file's name and content, not its MIME type
 * (decision §uploads).
 */
function multipartBody(schema: z.ZodType) {
  const disposition = {
    description: 'The file name must have the extension .zip',
    schema: { type: 'string' as const },
    example: 'form-data; name="file"; filename="package.zip"',
  };
  return {
    schema,
    encoding: { file: { contentType: 'application/zip', headers: { 'Content-Disposition': disposition } } },
  };
}

function requestParams({ params, query, headers }: Route) {
  return {
    ...(params && { path: params }),
    ...(query && { query }),
    ...(headers && { header: headers }),
  };
}

/** @param meaning of the error with the same status, if there is one */
function success(
  route: Route,
  status: number,
  answer: Route['answers'][number],
  meaning: string | undefined,
) {
  if ('data' in answer) {
    const described = envelope(status, answer.data);
    const own: AnswerHeader[] = [
      ...(isPolled(route) ? (['ETag'] as const) : []),
      ...(isPaged(route) ? (['Link'] as const) : []),
      ...(answer.headers ?? []),
    ];
    if (meaning === undefined) return response(route, status, answer.description, described, own);
    const either = z.union([described, errorEnvelope]);
    return response(route, status, `${answer.description}; or ${meaning}`, either, own);
  }
  const { description, contentType, headers = [] } = answer;
  return {
    description,
    headers: headersOf(route, status, ['Content-Disposition', ...headers]),
    content: { [contentType]: { schema: { type: 'string', format: 'binary' } as const } },
  };
}

function response(
  route: Route,
  status: number,
  description: string,
  schema: z.ZodType,
  own?: readonly AnswerHeader[],
) {
  const examples = examplesOf(route.operationId, status);
  return {
    description,
    headers: headersOf(route, status, own),
    content: { 'application/json': { schema, ...(examples && { examples }) } },
  };
}
