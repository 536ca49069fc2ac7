/** Log in → code by e-mail → session with an expiry. */
import { bodyParser } from '@koa/bodyparser';
import type Router from '@koa/router';
import type { Context } from 'koa';
import type { Simulation } from './state.ts';

type Fields = Record<string, unknown>;

export function sessionRoutes(api: Router, simulation: Simulation): void {
  const { state, behaviour, credentials } = simulation;
  const json = bodyParser({ enableTypes: ['json'] });
  const grant = (ctx: Context, { token, expiresAt }: { token: string; expiresAt: number }) => {
    ctx.body = { session_token: token, expires_at: new Date(expiresAt).toISOString() };
  };

  api.post('/session', json, async (ctx) => {
    const { username, password } = (ctx.request.body ?? {}) as Fields;
    if (username !== credentials.username || password !== credentials.password)
      return fail(ctx, 401, 'wrong user name or password');
    await state.endSession();
    const { login_id, code } = await state.beginLogin();
    await simulation.mailCode(code);
    ctx.status = 202;
    ctx.body = { login_id, status: 'awaiting_verification_code' };
  });

  api.post('/session/verification', json, async (ctx) => {
    const { login_id, code } = (ctx.request.body ?? {}) as Fields;
    const session = await state.verify(String(login_id), String(code), behaviour.session_ttl_seconds);
    if (!session) return fail(ctx, 400, 'wrong verification code');
    grant(ctx, session);
  });

  api.post('/session/renewal', async (ctx) => {
    if (!requireSession(ctx, simulation)) return;
    if (behaviour.renewal === 'refused') return fail(ctx, 403, 'the renewal of sessions is not allowed');
    if (behaviour.renewal === 'unknown') return fail(ctx, 404, 'unknown path');
    grant(ctx, await state.grant(behaviour.session_ttl_seconds));
  });

  api.delete('/session', async (ctx) => {
    if (!requireSession(ctx, simulation)) return;
    await state.endSession();
    ctx.status = 204;
  });
}

/** Answers 401 itself when the session is missing or expired. */
export function requireSession(ctx: Context, { state }: Simulation): boolean {
  const token = /^Bearer (\S+)$/.exec(ctx.get('authorization'))?.[1] ?? '';
  if (state.accepts(token)) return true;
  fail(ctx, 401, 'the session is missing or has expired');
  return false;
}

export function fail(ctx: Context, status: number, error: string, extra: Fields = {}): void {
  ctx.status = status;
  ctx.body = { error, ...extra };
}
