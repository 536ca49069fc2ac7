/** Headers that every route gets: the next page of a list, the address of an import (interface §10). */
import Koa from 'koa';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
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
