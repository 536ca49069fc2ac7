/** Headers that every route gets: deprecation (interface §9), the next page of a list, the address of an import (interface §10). */
import Koa from 'koa';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { describeApi } from '../../src/gateway/openapi.ts';
import { createReadBudgets } from '../../src/gateway/quotas/read-budgets.ts';
import { defineRoute } from '../../src/gateway/route.ts';
import { createRouter } from '../../src/gateway/router.ts';
import { listen } from '../../src/http/server.ts';
import { multipartBody } from '../support/multipart.ts';
import { type GatewayOptions, startGateway } from '../support/starters/gateway.ts';

/** Serves the routes alone. Returns a request to them. */
async function serve(
  routes: Parameters<typeof createRouter>[0],
  publicUrl: string | null,
): Promise<(path: string) => Promise<Response>> {
  const dependencies = { readBudgets: createReadBudgets({ atOnce: 1 }), basePath: '', publicUrl };
  const router = createRouter(routes, () => Promise.reject(new Error('no route is protected')), dependencies);
  const app = new Koa().use(router.routes() as unknown as Koa.Middleware);
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(500));
  return (path) => fetch(`http://127.0.0.1:${server.port}${path}`);
}

const route = (path: string, ends: object) =>
  defineRoute({
    method: 'get',
    path,
    operationId: `get${path.slice(1)}`,
    tag: 'Health',
    summary: 'It goes',
    ...ends,
    answers: { 200: { description: 'Still there', data: z.object({}) } },
    handle: async () => ({ message: 'Still there.', data: {} }),
  });

const deprecated = { since: new Date('2026-01-01T00:00:00Z'), sunset: new Date('2026-07-01T00:00:00Z') };
const ROUTES = [route('/going', { deprecated }), route('/staying', {})];

it('a deprecated route has headers in every answer, and no other route has them', async () => {
  const get = await serve(ROUTES, null);
  const headersOf = async (path: string) => {
    const { headers } = await get(path);
    return [headers.get('deprecation'), headers.get('sunset')];
  };
  expect(await headersOf('/going')).toEqual(['@1767225600', 'Wed, 01 Jul 2026 00:00:00 GMT']);
  expect(await headersOf('/staying')).toEqual([null, null]);
});

it('a deprecated route is marked in the description', () => {
  const { paths } = describeApi(ROUTES, { version: '1.2.3', basePath: '', tokenUrl: null });
  const [going, staying] = ['/going', '/staying'].map((path) => paths?.[path]?.get);
  expect(going?.deprecated).toBe(true);
  expect(Object.keys(going?.responses?.[200]?.headers ?? {})).toEqual([
    'X-Request-Id',
    'Deprecation',
    'Sunset',
  ]);
  expect(staying?.deprecated).toBeUndefined();
});

const list = defineRoute({
  method: 'get',
  path: '/things',
  operationId: 'getThings',
  tag: 'Health',
  summary: 'Things',
  query: z.object({ before: z.coerce.number().optional() }),
  answers: { 200: { description: 'A page', data: z.object({ next_before: z.number().nullable() }) } },
  handle: async ({ query: { before } }) => ({
    message: 'Things.',
    data: { next_before: before === undefined ? 7 : null },
  }),
});

it('a page links to the next one, and the last page to none', async () => {
  const get = await serve([list], 'http://api');
  const linkOf = async (path: string) => (await get(path)).headers.get('link');
  expect(await linkOf('/things')).toBe('<http://api/things?before=7>; rel="next"');
  expect(await linkOf('/things?before=7')).toBeNull();
});

async function locationFrom(options: GatewayOptions): Promise<string | null> {
  const gateway = await startGateway(options);
  const answer = await gateway.upload(multipartBody(100));
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  return answer.headers.get('location');
}

const at = (publicUrl: string): GatewayOptions => ({
  basePath: '/behind',
  change: () => ({ publicUrl }),
});

it('Location is a path, with the base path', async () => {
  expect(await locationFrom({})).toBe('/regulator/package-imports/1');
  expect(await locationFrom({ basePath: '/behind' })).toBe('/behind/regulator/package-imports/1');
});

it('Location is absolute when the gateway has a public address', async () => {
  for (const url of ['https://import.example/api', 'https://import.example/api/'])
    expect(await locationFrom(at(url))).toBe('https://import.example/api/regulator/package-imports/1');
});
