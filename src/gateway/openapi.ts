/** The OpenAPI 3.1 description, made from the route definitions. */
import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { isPaged, isPolled, type Route } from './route.ts';
import { envelope, errorEnvelope } from './schemas/common.ts';

const PROTECTED_ERRORS: Readonly<Record<number, string>> = {
  401: 'No access token, or one that is invalid, expired or issued by another identity service',
  403: "The token lacks the route's permission",
  429: 'Too many requests of this client; the header `Retry-After` says when to come back',
};
const COMMON_ERRORS: Readonly<Record<number, string>> = { 500: 'A fault of the service' };
const BAD_INPUT: Readonly<Record<number, string>> = { 400: 'Invalid parameters or body' };
const BODY_ERRORS: Readonly<Record<number, string>> = {
  408: 'The body did not arrive in time',
  413: 'The body is too large',
};

const NEXT_PAGE = {
  description: 'Where the list goes on (RFC 8288, `rel="next"`); absent on the last page',
  schema: { type: 'string' as const },
  example: '</regulator/package-imports?before=7>; rel="next"',
};

export interface ApiInfo {
  version: string;
  basePath: string;
  /** Base URL of the identity service's token endpoint, or null where it is not known. */
  tokenUrl: string | null;
}

export function describeApi(routes: readonly Route[], { version, basePath, tokenUrl }: ApiInfo) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const path = basePath + route.path;
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Package import service',
      version,
      description: "Imports packages of product submissions into the regulator's system.",
    },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        ...(tokenUrl !== null && {
          oauth2: { type: 'oauth2' as const, flows: { clientCredentials: { tokenUrl, scopes: {} } } },
        }),
      },
    },
  });
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { operationId, summary, description, tag, permission, params, query, headers, body, multipart } =
    route;
  const takesInput = params !== undefined || query !== undefined || body !== undefined;
  const errors: Readonly<Record<number, string>> = {
    ...(takesInput && BAD_INPUT),
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
    ...(permission !== undefined && { security: [{ bearer: [] }], 'x-required-permission': permission }),
    ...((params || query || headers) && { requestParams: requestParams(route) }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    ...(multipart && {
      requestBody: { required: true, content: { 'multipart/form-data': multipartBody(multipart) } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(errors).map(([status, meaning]) => [status, response(meaning, errorEnvelope)]),
      ),
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, answer]) => [
          status,
          {
            ...success(Number(status), answer, errors[Number(status)]),
            ...(isPaged(route) && { headers: { Link: NEXT_PAGE } }),
          },
        ]),
      ),
      ...(isPolled(route) && { 304: { description: 'Not changed since the answer with the ETag sent' } }),
    },
  };
}

/**
 * The type of the file is a hint: its name and content are judged, not its MIME type
 * (architecture §what-an-upload-is).
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
    ...(params && { path: params as z.ZodObject }),
    ...(query && { query: query as z.ZodObject }),
    ...(headers && { header: headers }),
  };
}

/** @param meaning of the error that has the same status, if there is one */
function success(status: number, answer: Route['answers'][number], meaning: string | undefined) {
  if ('data' in answer) {
    const described = envelope(status, answer.data);
    if (meaning === undefined) return response(answer.description, described);
    return response(`${answer.description}; or ${meaning}`, z.union([described, errorEnvelope]));
  }
  const { description, contentType } = answer;
  return {
    description,
    content: { [contentType]: { schema: { type: 'string', format: 'binary' } as const } },
  };
}

function response(description: string, schema: z.ZodType) {
  return { description, content: { 'application/json': { schema } } };
}
