/**
 * Admission of uploads by free space, by the process's slots and by the client's quota, before the body is read
 * (decision §refuse-before-the-body).
 */
import type { ArchiveStorage } from '../../archive/storage.ts';
import { HttpError } from '../http-error.ts';
import { callerIn, type GatewayContext, type GatewayMiddleware, queryIn } from '../route.ts';
import { type ClientQuotas, takeFromRate, tooManyAtOnce } from './client-quotas.ts';

/** Seconds after which a slot may be free. */
const BUSY_RETRY_S = 5;

/** Part of the slots, and of the space, that one client may take. The rest is for clients without an upload. */
const SHARE_OF_A_CLIENT = 3 / 4;

/**
 * Requires space for all uploads under way, of all gateways, plus `minFreeBytes`, which records and logs need. To be used
 * after `limitUploads`: two uploads that arrive at the same time see each other's reservation. One client cannot reserve
 * all space by uploads that it never ends.
 */
export function requireFreeSpace(
  { uploads }: Pick<ClientQuotas, 'uploads'>,
  storage: Pick<ArchiveStorage, 'freeBytes'>,
  { minFreeBytes, maxUploadBytes }: { minFreeBytes: number; maxUploadBytes: number },
): GatewayMiddleware {
  return async (ctx, next) => {
    const free = minFreeBytes > 0 ? await storage.freeBytes() : null;
    if (free !== null) {
      const reserved = await uploads.reserved(callerIn(ctx.state).clientId);
      const room = free - minFreeBytes;
      const isOnly = reserved.own <= neededBytes(ctx, maxUploadBytes);
      if (reserved.all > room || (!isOnly && reserved.own > room * SHARE_OF_A_CLIENT)) {
        const message = 'The archive storage is full. Send the package again later.';
        const cause = `${free} bytes are free, and ${reserved.all} are reserved for uploads under way`;
        throw new HttpError('storage_full', message, { cause });
      }
    }
    await next();
  };
}

/**
 * Limits the uploads that this process receives at the same time. Each upload buffers the bytes that have not reached the
 * storage yet: 5 MiB and more with a bucket. One client cannot take all slots, whatever its own quota is. Sets
 * `ctx.state.giveBackSlot`, for the end of the body: the processing takes long, but needs little memory.
 */
export function limitReceiving(limit: number): GatewayMiddleware {
  const receiving = new Set<{ clientId: string }>();
  return async (ctx, next) => {
    const slot = { clientId: callerIn(ctx.state).clientId };
    const hasAnother = receiving.values().some(({ clientId }) => clientId === slot.clientId);
    if (receiving.size >= (hasAnother ? Math.ceil(limit * SHARE_OF_A_CLIENT) : limit)) {
      const message = `This gateway is receiving ${receiving.size} uploads and accepts no more from this client now. Send the package again in a few seconds.`;
      throw new HttpError('overloaded', message, { headers: { 'Retry-After': String(BUSY_RETRY_S) } });
    }
    receiving.add(slot);
    const giveBack = () => void receiving.delete(slot);
    ctx.state.giveBackSlot = giveBack;
    await next().finally(giveBack);
  };
}

/**
 * Limits a client's concurrent uploads, and reserves the space that they may need. An upload counts until its answer,
 * because the processing costs as well.
 */
export function limitUploads(
  { uploads }: Pick<ClientQuotas, 'uploads'>,
  maxUploadBytes: number,
): GatewayMiddleware {
  return async (ctx, next) => {
    const giveBack = await uploads.take(callerIn(ctx.state).clientId, neededBytes(ctx, maxUploadBytes));
    if (giveBack === null) throw tooManyAtOnce(uploads);
    try {
      await next();
    } finally {
      await giveBack();
    }
  };
}

/**
 * Refuses an upload of a client that has used up its files of the day. The package itself counts as one: its import is a
 * record, too, even if the package has no file that can be read.
 */
export function limitFiles({ files }: Pick<ClientQuotas, 'files'>): GatewayMiddleware {
  return async (ctx, next) => {
    await takeFromRate(files, callerIn(ctx.state).clientId, 1);
    await next();
  };
}

/**
 * The space that an upload may need: for its ZIP, and in an import as much again for its attachments, which a ZIP hardly
 * compresses. A chunked body announces no length, so it may have the maximum.
 */
function neededBytes(ctx: GatewayContext, maxUploadBytes: number): number {
  const zip = Number(ctx.get('content-length') || maxUploadBytes);
  return queryIn(ctx.state).dry_run ? zip : 2 * zip;
}
