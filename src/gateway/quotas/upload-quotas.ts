/**
 * Which uploads are let in: judged by the room that there is and by what their client has already, before any of the
 * body is read (architecture §refuse-before-the-body).
 */
import type { ArchiveStorage } from '../../archive/storage.ts';
import type { ImportRepository } from '../../database/repositories/imports.ts';
import { HttpError } from '../http-error.ts';
import { callerIn, type GatewayContext, type GatewayMiddleware } from '../state.ts';
import { type ClientQuotas, tooManyAtOnce, tooMuchStored } from './client-quotas.ts';

/** Seconds after which another upload may have been received. */
const BUSY_RETRY_S = 5;

/** There is room for what is announced, and for `minFreeBytes` besides: records and logs need it, too. */
export function requireFreeSpace(
  storage: Pick<ArchiveStorage, 'freeBytes'>,
  minFreeBytes: number,
): GatewayMiddleware {
  return async (ctx, next) => {
    const free = minFreeBytes > 0 ? await storage.freeBytes() : null;
    if (free !== null && free - announcedBytes(ctx) < minFreeBytes) {
      const message = 'There is no room for packages at present. Send the package again later.';
      throw new HttpError('storage_full', message, { cause: `${free} bytes are free` });
    }
    await next();
  };
}

/**
 * This process receives at most `limit` uploads at the same time: each holds what has not reached the storage yet,
 * 5 MiB and more with a bucket.
 */
export function createReceivingSlots(limit: number) {
  const receiving = new WeakSet<GatewayContext['req']>();
  let taken = 0;

  function giveBack({ req }: GatewayContext): void {
    if (receiving.delete(req)) taken -= 1;
  }

  return {
    take: (async (ctx, next) => {
      if (taken >= limit) {
        const message = `This gateway receives ${limit} uploads at present, and no more at a time. Send the package again in a few seconds.`;
        throw new HttpError('overloaded', message, { headers: { 'Retry-After': String(BUSY_RETRY_S) } });
      }
      receiving.add(ctx.req);
      taken += 1;
      try {
        await next();
      } finally {
        giveBack(ctx);
      }
    }) satisfies GatewayMiddleware,

    /** Behind the receiving: what follows needs little memory, and may take long. */
    giveBack: (async (ctx, next) => {
      giveBack(ctx);
      await next();
    }) satisfies GatewayMiddleware,
  };
}

/** From the first byte to the answer: what is read for a client counts as well as what is received. */
export function limitUploads({ uploads }: Pick<ClientQuotas, 'uploads'>): GatewayMiddleware {
  return async (ctx, next) => {
    if (uploads === null) return next();
    const giveBack = await uploads.take(callerIn(ctx.state).clientId);
    if (giveBack === null) throw tooManyAtOnce('uploads', uploads.limit);
    try {
      await next();
    } finally {
      await giveBack();
    }
  };
}

/** A request that was sent before, under its Idempotency-Key, keeps nothing. */
export function limitStored(
  { storedBytes }: Pick<ClientQuotas, 'storedBytes'>,
  imports: Pick<ImportRepository, 'keptBytes'>,
): GatewayMiddleware {
  return async (ctx, next) => {
    if (storedBytes === null || ctx.state.uploadKey?.known) return next();
    const kept = await imports.keptBytes(callerIn(ctx.state).clientId);
    if (kept + announcedBytes(ctx) > storedBytes) throw tooMuchStored(storedBytes, kept);
    await next();
  };
}

/** 0 where a chunked body announces nothing. */
function announcedBytes(ctx: GatewayContext): number {
  return Number(ctx.get('content-length') || 0);
}
