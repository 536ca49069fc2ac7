/** Limits of uploads, before the body is read: the client's number and space, and the places of this process. */
import type { GatewayDependencies } from '../dependencies.ts';
import { HttpError } from '../http-error.ts';
import { concurrencyExceeded } from './client-quotas.ts';

/** Part of the places, and of the space, that one client may take. The rest is for clients without an upload. */
const SHARE_OF_A_CLIENT = 3 / 4;

/**
 * Makes the limit of a client's concurrent uploads, and of the space that they may need. An upload counts until its
 * answer, because the processing costs as well.
 *
 * There must be space for all uploads under way, of all gateways, plus `minFreeBytes`, which records and logs need. One
 * client cannot reserve all space by uploads that it never ends.
 */
export function createUploadRoom({
  quotas: { uploads },
  storage,
  limits: { minFreeBytes },
}: Pick<GatewayDependencies, 'quotas' | 'storage' | 'limits'>) {
  /** Reserves a place and space until the end of `held`. @throws HttpError 429, 503 */
  return async function reserve(clientId: string, bytes: number, held: AsyncDisposableStack): Promise<void> {
    const release = await uploads.take(clientId, bytes);
    if (release === null) throw concurrencyExceeded(uploads);
    held.defer(release);
    // After the reservation: two uploads that arrive at the same time see each other's.
    const free = minFreeBytes > 0 ? await storage.freeBytes() : null;
    if (free === null) return;
    const reserved = await uploads.reserved(clientId);
    const room = free - minFreeBytes;
    const isOnly = reserved.own <= bytes;
    if (reserved.all <= room && (isOnly || reserved.own <= room * SHARE_OF_A_CLIENT)) return;
    const cause = `${free} bytes are free, and ${reserved.all} are reserved for uploads under way`;
    throw new HttpError('storage_full', undefined, { cause });
  };
}

/**
 * Places of the uploads that this process receives at the same time. Each upload buffers the bytes that have not
 * reached the storage yet: 5 MiB and more with a bucket. One client cannot take all places, whatever its own quota is.
 */
export function createReceivingPlaces(limit: number) {
  const receiving = new Set<{ clientId: string }>();

  /** @returns a function that releases the place; a second call of it does nothing. @throws HttpError 503 */
  return function take(clientId: string): () => void {
    const place = { clientId };
    const hasAnother = receiving.values().some((one) => one.clientId === clientId);
    if (receiving.size >= (hasAnother ? Math.ceil(limit * SHARE_OF_A_CLIENT) : limit)) {
      const message = `This gateway is receiving ${receiving.size} uploads and accepts no more from this client now. Send the package again in a few seconds.`;
      throw new HttpError('overloaded', message);
    }
    receiving.add(place);
    return () => void receiving.delete(place);
  };
}
