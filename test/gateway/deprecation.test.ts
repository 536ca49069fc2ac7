/** Answers and the description announce deprecated operations (interface §9). */
import Koa from 'koa';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { describeApi } from '../../src/gateway/openapi.ts';
import { createReads } from '../../src/gateway/quotas/reads.ts';
import { defineRoute } from '../../src/gateway/route.ts';
import { createRouter } from '../../src/gateway/router.ts';
import { listen } from '../../src/http/server.ts';

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
  const app = new Koa().use(
    createRouter(
      ROUTES,
      { protect: [], reads: createReads({ atOnce: 1 }) },
      { basePath: '', publicUrl: null },
    ).routes() as unknown as Koa.Middleware,
  );
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(500));
  const headersOf = async (path: string) => {
    const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`);
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
