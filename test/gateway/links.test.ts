/** Every list links its next page by the header `Link`. The answer alone decides whether there is one. */
import Koa from 'koa';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createReads } from '../../src/gateway/quotas/reads.ts';
import { defineRoute } from '../../src/gateway/route.ts';
import { createRouter } from '../../src/gateway/router.ts';
import { listen } from '../../src/http/server.ts';

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
  const app = new Koa().use(
    createRouter(
      [list],
      { protect: [], reads: createReads({ atOnce: 1 }) },
      {
        basePath: '',
        publicUrl: 'http://api',
      },
    ).routes() as unknown as Koa.Middleware,
  );
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close(500));
  const linkOf = async (path: string) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`)).headers.get('link');
  expect(await linkOf('/things')).toBe('<http://api/things?before=7>; rel="next"');
  expect(await linkOf('/things?before=7')).toBeNull();
});
