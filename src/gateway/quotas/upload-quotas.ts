/**
 * Admission of uploads by free space, by the process's slots and by the client's quota, before the body is read
 * (decision §refuse-before-the-body).
 */
import type { ArchiveStorage } from '../../archive/storage.ts';
import { HttpError } from '../http-error.ts';
import { callerIn, type GatewayContext, type GatewayMiddleware } from '../state.ts';
import { type ClientQuotas, tooManyAtOnce } from './client-quotas.ts';

/** Seconds after which a slot may be free. */
const BUSY_RETRY_S = 5;

/** Requires space for the announced body plus `minFreeBytes`, which records and logs need. */
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

/** Part of a process's slots that one client may take. The rest is reserved for clients without a slot. */
const SHARE_OF_A_CLIENT = 3 / 4;

/**
 * Limits the uploads that this process receives at the same time. Each upload buffers the bytes that have not reached the
 * storage yet: 5 MiB and more with a bucket. One client cannot take all slots, whatever its own quota is.
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

    /** Releases the slot once the body has been received: the processing takes long, but needs little memory. */
    giveBack: (async (ctx, next) => {
      giveBack(ctx);
      await next();
    }) satisfies GatewayMiddleware,
  };
}

/** Limits a client's concurrent uploads. An upload counts until its answer, because the processing costs as well. */
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

/** 0 for a chunked body, which announces no length. */
function announcedBytes(ctx: GatewayContext): number {
  return Number(ctx.get('content-length') || 0);
}
