import type { Permission } from '../../contract/permissions.ts';
import { missingPermission } from '../http-error.ts';
import { callerIn, type GatewayMiddleware } from '../state.ts';

/** To be used after authentication. */
export function requirePermission(permission: Permission): GatewayMiddleware {
  return async (ctx, next) => {
    if (!callerIn(ctx.state).permissions.has(permission)) throw missingPermission(permission);
    await next();
  };
}
