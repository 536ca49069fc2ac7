/** Refuses a too large upload by its Content-Length, before the body is read. */
import { tooLarge } from '../http-error.ts';
import type { GatewayMiddleware } from '../state.ts';

/** Allowance for multipart framing and text parts. */
const FRAMING_BYTES = 1024 * 1024;

/** Limit of the whole body. The exact limit of the file is enforced while it arrives. */
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
