/**
 * Which uploads are let in: judged by the room that there is and by what their client has already, before any of the
 * body is read (decision §refuse-before-the-body).
 */
import type { ArchiveStorage } from '../../archive/storage.ts';
import { HttpError } from '../http-error.ts';
import { callerIn, type GatewayContext, type GatewayMiddleware } from '../state.ts';
import { type ClientQuotas, tooManyAtOnce } from './client-quotas.ts';

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

/** Of the places of a process, those that one client may take; the others are for clients that have none. */
const SHARE_OF_A_CLIENT = 3 / 4;

/**
 * This process receives at most `limit` uploads at the same time: each holds what has not reached the storage yet,
 * 5 MiB and more with a bucket. One client leaves places for others, however many uploads it may have under way.
 */
export function createReceivingSlots(limit: number) {
  const clientOf = new WeakMap<GatewayContext['req'], string>();
  const takenBy = new Map<string, number>();
  let taken = 0;

  function isFullFor(clientId: string): boolean {
    return taken >= (takenBy.has(clientId) ? Math.ceil(limit * SHARE_OF_A_CLIENT) : limit);
  }

  function take({ req }: GatewayContext, clientId: string): void {
    clientOf.set(req, clientId);
    takenBy.set(clientId, (takenBy.get(clientId) ?? 0) + 1);
    taken += 1;
  }

  function giveBack({ req }: GatewayContext): void {
    const clientId = clientOf.get(req);
    if (clientId === undefined) return;
    clientOf.delete(req);
    const left = (takenBy.get(clientId) ?? 0) - 1;
    if (left > 0) takenBy.set(clientId, left);
    else takenBy.delete(clientId);
    taken -= 1;
  }

  return {
    take: (async (ctx, next) => {
      const { clientId } = callerIn(ctx.state);
      if (isFullFor(clientId)) {
        const message = `This gateway receives ${taken} uploads at present, and no more for this client. Send the package again in a few seconds.`;
        throw new HttpError('overloaded', message, { headers: { 'Retry-After': String(BUSY_RETRY_S) } });
      }
      take(ctx, clientId);
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
    if (giveBack === null) throw tooManyAtOnce(uploads);
    try {
      await next();
    } finally {
      await giveBack();
    }
  };
}

/** 0 where a chunked body announces nothing. */
function announcedBytes(ctx: GatewayContext): number {
  return Number(ctx.get('content-length') || 0);
}
