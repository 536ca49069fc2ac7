import { z } from 'zod';
import { badRequest } from '../http-error.ts';
import type { GatewayMiddleware } from '../state.ts';

/**
 * A query with a typo is refused: `?stauts=failed` would show everything, and `?dryrun=true` import for real. Before the
 * body is read (architecture §refuse-before-the-body).
 *
 * @param query of the route
 */
export function refuseUnknownParameters(query: z.ZodType): GatewayMiddleware {
  const known = query instanceof z.ZodObject ? Object.keys(query.shape) : [];
  return async (ctx, next) => {
    const unknown = Object.keys(ctx.query).filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      const names = unknown.map((name) => JSON.stringify(name)).join(', ');
      throw badRequest(
        `The query is invalid: ${names} ${unknown.length > 1 ? 'are' : 'is'} not known; known are ${known.join(', ')}.`,
      );
    }
    await next();
  };
}
