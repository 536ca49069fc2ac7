/** Requires an active regulator session: without one, no accepted product could be inserted. */
import { sessionMessage } from '../../domain/regulator.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { sessionRequired } from '../http-error.ts';
import type { GatewayMiddleware } from '../state.ts';

export function requireSession(sessions: GatewayDependencies['sessions']): GatewayMiddleware {
  return async (_ctx, next) => {
    const state = await sessions.state();
    if (state.status !== 'active') throw sessionRequired(sessionMessage(state), state.status);
    await next();
  };
}
