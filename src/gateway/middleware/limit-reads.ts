/** Applies the limits on reads to every protected route (decision §reading-has-a-budget). */
import { Readable } from 'node:stream';
import { pageBytes, READ_BYTES, type Reads } from '../quotas/reads.ts';
import { callerIn, type GatewayContext, type GatewayMiddleware, type GatewayState } from '../state.ts';

/**
 * Sets `ctx.state.read`. A GET reserves before its handler loads anything; the handler of another request may do so. To be
 * used after authentication and the validation of the query.
 */
export function limitReads(reads: Reads): GatewayMiddleware {
  return async (ctx, next) => {
    const read = reads(callerIn(ctx.state).clientId, ctx.res);
    ctx.state.read = read;
    try {
      if (ctx.method === 'GET' || ctx.method === 'HEAD') await read.reserve(bytesOf(ctx.state.query));
      await next();
      renderBody(ctx);
      read.loaded(Buffer.isBuffer(ctx.body) ? ctx.body.length : undefined);
    } catch (error) {
      read.loaded(0);
      throw error;
    }
  };
}

function bytesOf(query: GatewayState['query']): number {
  const { limit } = query ?? {};
  return typeof limit === 'number' ? pageBytes(limit) : READ_BYTES;
}

/** As a buffer an answer has a known size, and it is in memory once while it is sent. */
function renderBody(ctx: GatewayContext): void {
  const { body } = ctx;
  if (body === null || body === undefined || body instanceof Readable) return;
  ctx.body = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
