/** The description of the API: valid OpenAPI 3.1, complete, and the same as the behaviour of the gateway. */
import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/contract/operations.ts';
import { WEBHOOK_EVENTS } from '../../src/contract/statuses.ts';
import { describeIdentityService } from '../../src/trial-parts/identity-service/machine-api.ts';
import { startGateway } from '../support/starters/gateway.ts';

interface Operation {
  operationId: string;
  security?: object[];
  'x-required-permission'?: string;
  parameters?: { in: string; name: string; required?: boolean }[];
  requestBody?: object;
  responses: Record<string, Answer>;
}
interface Answer {
  description: string;
  headers: Record<string, { $ref: string }>;
  content?: Record<string, { schema: object; examples?: Record<string, { value?: unknown; $ref?: string }> }>;
}
interface Description {
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post?: Operation }>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, object>;
    headers: Record<string, object>;
    examples: Record<string, { value: unknown }>;
  };
}

const TOKEN_URL = 'https://identity.example/oauth2/token;v=1';

const gateway = await startGateway({
  basePath: '/imports',
  limits: { maxUploadBytes: 3 * 1024 * 1024 },
  change: () => ({ tokenUrl: TOKEN_URL }),
});
const description = (await (await fetch(`${gateway.url}/api/doc.json`)).json()) as Description;
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** https://spec.openapis.org/oas/3.1/schema/2022-10-07, which leaves the JSON Schemas inside to their own dialect. */
async function officialSchema() {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('media-range', true);
  const schema = await readFile(new URL('../support/openapi-3.1.schema.json', import.meta.url), 'utf8');
  // Ajv resolves the anchor of a `$dynamicRef` only at the root; no schema overrides this one.
  return ajv.compile(JSON.parse(schema.replaceAll('"$dynamicRef": "#meta"', '"$ref": "#/$defs/schema"')));
}

describe('the description', () => {
  it('is valid OpenAPI 3.1, and so is that of the identity service', async () => {
    const isValid = await officialSchema();
    const identityService = JSON.parse(JSON.stringify(describeIdentityService('http://127.0.0.1:8081')));
    for (const document of [description, identityService])
      expect(isValid(document) ? [] : isValid.errors).toEqual([]);
    expect(isValid({ ...description, paths: { '/x': { get: { responses: { 999: {} } } } } })).toBe(false);
  });

  it('has each event of webhooks, with a message that real ones match', () => {
    expect(Object.keys(description.webhooks)).toEqual([...WEBHOOK_EVENTS]);
    const ajv = schemas();
    const isValid = (event: string, message: object) => {
      const path = `webhooks/${event}/post/requestBody/content/application~1json/schema`;
      return ajv.validate({ $ref: `api#/${path}` }, message);
    };
    const timestamp = '2026-01-31T12:00:00.000Z';
    expect(isValid('webhook.test', { type: 'webhook.test', timestamp, data: {} })).toBe(true);
    expect(isValid('package_import.failed', { type: 'webhook.test', timestamp, data: {} })).toBe(false);
    for (const { post } of Object.values(description.webhooks))
      expect(post?.parameters?.map(({ name, required }) => [name, required])).toEqual([
        ['webhook-id', true],
        ['webhook-timestamp', true],
        ['webhook-signature', true],
      ]);
  });

  it('has the version of the service', async () => {
    expect(description.info.version).toBe('1.2.3');
    const answer = await (await fetch(`${gateway.url}/health/live`)).json();
    expect(answer).toMatchObject({ data: { version: '1.2.3' } });
  });

  it('has valid schemas with existing references only', () => {
    const ajv = schemas();
    const names = Object.keys(description.components.schemas);
    expect(names).toContain('ImportResult');
    for (const name of names) ajv.compile({ $ref: `api#/components/schemas/${name}` });
  });
});

/** Ajv that knows the schemas of the description as `api`. */
function schemas(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false });
  addFormats.default(ajv);
  ajv.addVocabulary(['example', 'components', 'openapi', 'info', 'paths', 'webhooks', 'servers', 'tags']);
  ajv.addFormat('binary', true);
  return ajv.addSchema({ $id: 'api', ...description }, undefined, undefined, false);
}

describe('the description, for people and for the page,', () => {
  it('lists the permissions of all operations as scopes with descriptions', () => {
    const used = new Set(operations.flatMap(({ operation }) => operation['x-required-permission'] ?? []));
    const { scopes, tokenUrl } = (description.components.securitySchemes.oauth2 as OAuth2).flows
      .clientCredentials;
    expect(tokenUrl).toBe(TOKEN_URL);
    expect(new Set(Object.keys(scopes))).toEqual(used);
    expect(Object.values(scopes).every((meaning) => meaning.length > 10)).toBe(true);
  });

  it('lets the page fetch tokens from the identity service only', async () => {
    const page = await fetch(`${gateway.url}/api/doc`);
    expect(page.headers.get('content-security-policy')).toContain(
      "; connect-src 'self' https://identity.example/oauth2/token%3Bv=1; base-uri 'none';",
    );
  });

  it('has examples that follow its schemas', () => {
    const ajv = schemas();
    let examples = 0;
    for (const { path, method, operation } of operations) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const type = content?.['application/json'];
        const steps = ['paths', path, method, 'responses', status, 'content', 'application/json', 'schema'];
        const pointer = steps.map((step) => encodeURIComponent(step.replace(/\//g, '~1'))).join('/');
        for (const [name, example] of Object.entries(type?.examples ?? {})) {
          const shared = example.$ref?.split('/').at(-1) ?? '';
          const { value } = description.components.examples[shared] ?? example;
          const isValid = ajv.validate({ $ref: `api#/${pointer}` }, value);
          expect(isValid ? [] : ajv.errors, `${operation.operationId} ${status} ${name}`).toEqual([]);
          examples += 1;
        }
      }
    }
    expect(examples).toBeGreaterThan(operations.length);
  });
});

interface OAuth2 {
  flows: { clientCredentials: { tokenUrl: string; scopes: Record<string, string> } };
}

describe('the headers of answers', () => {
  const headersOf = (path: string, method: string, status: number) =>
    Object.keys(description.paths[`/imports${path}`]?.[method]?.responses[status]?.headers ?? {});

  it('are described where they occur', () => {
    const limited = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];
    const upload = (status: number) => headersOf('/regulator/package-import', 'post', status);
    expect(upload(200)).toEqual([...limited, 'Location', 'Idempotent-Replayed']);
    expect(upload(401)).toEqual(['X-Request-Id', 'WWW-Authenticate']);
    expect(upload(403)).toEqual([...limited, 'WWW-Authenticate']);
    expect(upload(429)).toEqual([...limited, 'Retry-After']);
    expect(upload(503)).toEqual([...limited, 'Retry-After']);
    for (const status of [200, 304])
      expect(headersOf('/regulator/session', 'get', status)).toEqual([...limited, 'ETag']);
    expect(headersOf('/regulator/package-imports/{id}/repair-pack', 'get', 200)).toEqual([
      ...limited,
      'Content-Disposition',
    ]);
    expect(headersOf('/health/live', 'get', 200)).toEqual(['X-Request-Id']);
  });

  it('have existing references, and each is used', () => {
    const used = new Set<string>();
    for (const { operation } of operations)
      for (const { headers } of Object.values(operation.responses))
        for (const [name, { $ref }] of Object.entries(headers)) {
          expect($ref).toBe(`#/components/headers/${name}`);
          used.add(name);
        }
    const all = new Set(Object.keys(description.components.headers));
    expect(used).toEqual(all);
  });

  it('occur in answers', async () => {
    const headers = { authorization: `Bearer ${gateway.token}` };
    const session = await fetch(`${gateway.url}/regulator/session`, { headers });
    expect(session.headers.get('etag')).toMatch(/^W\/"/);
    expect(session.headers.get('x-request-id')).toMatch(/^[\w.:-]{8,128}$/);
    expect((await fetch(`${gateway.url}/regulator/session`)).headers.get('www-authenticate')).toContain(
      'Bearer',
    );
  });
});

describe('every operation', () => {
  it('describes the permission that the gateway requires', async () => {
    const permissions: readonly string[] = Object.values(PERMISSIONS);
    const [without, nothing] = [undefined, await gateway.tokens.sign({ permissions: [] })];
    for (const { path, method, operation } of operations) {
      const { security, responses } = operation;
      const permission = operation['x-required-permission'];
      const isPublic = path.startsWith('/imports/health/') || path === '/imports/regulator/dossier-key';
      expect(permission === undefined, path).toBe(isPublic);
      expect(security, path).toEqual(isPublic ? undefined : [{ bearer: [] }, { oauth2: [permission] }]);
      if (isPublic) continue;
      expect(permissions).toContain(permission);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429', '500']));
      expect(await statusOf(method, path, without)).toBe(401);
      expect(await statusOf(method, path, nothing)).toBe(403);
    }
  });

  it('describes its path, its body, and the body of every answer', () => {
    for (const { path, method, operation } of operations) {
      const { parameters = [], requestBody, responses } = operation;
      const inPath = parameters.filter((one) => one.in === 'path');
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath.map(({ name }) => name)).toEqual(named);
      expect(inPath.every(({ required }) => required)).toBe(true);
      if (requestBody) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '408', '413']));
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(description).not.toBe('');
        expect(content === undefined, `${method} ${path} ${status}`).toBe(status === '304');
      }
    }
  });

  it.each([
    ['/regulator/inserting/actions/pause', 'reason'],
    ['/regulator/session/verification', 'code'],
  ])('%s describes that blanks are no %s', (path, name) => {
    const ajv = schemas();
    const pointer = `paths/${encodeURIComponent(`/imports${path}`.replaceAll('/', '~1'))}/post/requestBody/content/application~1json/schema`;
    const accepts = (text: string) => ajv.validate({ $ref: `api#/${pointer}` }, { [name]: text });
    // Engines differ in whether the last two are blanks.
    expect(['', ' ', '\u00a0', '\u2028', '\ufeff', '\u0085'].filter(accepts)).toEqual([]);
    expect([' 1 ', 'später'].filter(accepts)).toHaveLength(2);
  });

  it('that lists entries has a link to its next page', () => {
    // A dossier has `before` as well, but is a file: its page names the next one.
    const paged = operations.filter(
      ({ operation: { operationId, parameters } }) =>
        operationId !== 'getDossier' && parameters?.some(({ name }) => name === 'before'),
    );
    expect(paged.map(({ operation }) => operation.operationId).sort()).toEqual([
      ...[
        'getAuditEvents',
        'getImportOutcomes',
        'getPackageImports',
        'getProduct',
        'getStatistics',
        'getSubmissions',
        'getWebhookDeliveries',
      ],
    ]);
    for (const { operation } of operations)
      expect(operation.responses[200]?.headers?.Link !== undefined, operation.operationId).toBe(
        paged.some((one) => one.operation === operation),
      );
  });

  it('that accepts a file names its form field', () => {
    const { requestBody, responses } = description.paths['/imports/regulator/package-import']?.post ?? {};
    expect(requestBody).toMatchObject({
      required: true,
      content: {
        'multipart/form-data': {
          schema: { properties: { file: { format: 'binary' } }, required: ['file'] },
          encoding: { file: { contentType: 'application/zip' } },
        },
      },
    });
    expect(JSON.stringify(requestBody)).toContain('filename=\\"package.zip\\"');
    expect(JSON.stringify(requestBody)).toContain('at most 3 MB');
    expect(responses?.[413]?.description).toBe('The ZIP file is larger than 3 MB');
  });
});

async function statusOf(method: string, path: string, token: string | undefined): Promise<number> {
  const url = new URL(path.replaceAll(/\{\w+\}/g, '1'), gateway.url);
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(url, { method, headers })).status;
}
