import type { z } from 'zod';
import type { GatewayMiddleware } from '../state.ts';
import { valid } from '../validate.ts';

/**
 * Sets `ctx.state.query` before the body is read (decision §refuse-before-the-body). An unknown parameter is
 * refused: `?stauts=failed` would show everything, and `?dryrun=true` would import for real.
 *
 * @param query the route's schema
 */
export function validQuery(query: z.ZodObject): GatewayMiddleware {
  const strict = query.strict();
  const known = Object.keys(query.shape).join(', ');
  const unknown: z.core.$ZodErrorMap = (issue) => {
    if (issue.code !== 'unrecognized_keys') return undefined;
    const names = issue.keys.map((name) => JSON.stringify(name)).join(', ');
    return `${names} ${issue.keys.length > 1 ? 'are' : 'is'} not known; known are ${known}`;
  };
  return async (ctx, next) => {
    ctx.state.query = valid(strict, ctx.query, 'query', unknown);
    await next();
  };
}
