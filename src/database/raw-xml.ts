/** Product files as the database keeps them: as gzip (RFC 1952). Those of before it did are as they were sent. */
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';

const gzipped = promisify(gzip);
const gunzipped = promisify(gunzip);

/** How gzip begins, and no XML in any encoding can. */
const MAGIC = Buffer.from([0x1f, 0x8b]);

/** XML shrinks to a sixth even at best speed, and PostgreSQL need not compress it itself, which takes it far longer. */
export function compressed(xml: Buffer): Promise<Buffer> {
  return gzipped(xml, { level: constants.Z_BEST_SPEED });
}

/** @throws when the stored bytes are damaged */
export async function uncompressed(stored: Buffer): Promise<Buffer> {
  return stored.subarray(0, MAGIC.length).equals(MAGIC) ? gunzipped(stored) : stored;
}
