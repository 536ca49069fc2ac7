/** The control API of the simulator (decision §the-regulator-is-a-port): for tests, demos and checks from outside. */
import { bodyParser } from '@koa/bodyparser';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import { behaviourChange } from './behaviour.ts';
import { fail } from './session-routes.ts';
import type { Simulation } from './state.ts';
import { reasonsOf } from './validation.ts';

export function controlRoutes({ state, behaviour }: Simulation): Middleware {
  const router = new Router({ prefix: '/control' });
  // Reads every body as JSON: `curl -d` names another type, and no change may be ignored.
  const json = bodyParser({ enableTypes: ['json'], detectJSON: () => true });

  router.get('/behaviour', (ctx) => {
    ctx.body = behaviour;
  });
  /** Changes the given values and keeps the others. */
  router.put('/behaviour', json, (ctx) => {
    const wanted = behaviourChange.safeParse(ctx.request.body ?? {});
    if (!wanted.success)
      return fail(ctx, 400, 'unknown or invalid behaviour', { reasons: reasonsOf(wanted.error) });
    ctx.body = Object.assign(behaviour, wanted.data);
  });
  router.post('/session/expire', async (ctx) => {
    await state.endSession();
    ctx.status = 204;
  });
  router.get('/cases', (ctx) => {
    ctx.body = state.cases;
  });
  router.get('/verification-code', (ctx) => {
    if (state.pendingCode === null) return fail(ctx, 404, 'no login is waiting for a code');
    ctx.body = { code: state.pendingCode };
  });
  return router.routes() as Middleware;
}
