/** How large an upload may be: judged by what it announces, before any of it is read. */
import { tooLarge } from '../http-error.ts';
import type { GatewayMiddleware } from '../state.ts';

/** What multipart framing and text parts may add to the file itself. */
const FRAMING_BYTES = 1024 * 1024;

/** Of the whole body. The file itself is counted exactly while it arrives. */
export function maxBodyBytes(maxFileBytes: number): number {
  return maxFileBytes + FRAMING_BYTES;
}

export function refuseTooLarge(maxFileBytes: number): GatewayMiddleware {
  return async (ctx, next) => {
    const announced = Number(ctx.get('content-length') || 0);
    if (announced > maxBodyBytes(maxFileBytes)) throw tooLarge(maxFileBytes);
    await next();
  };
}
