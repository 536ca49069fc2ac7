/** Product files as the database keeps them: as gzip (RFC 1952). Those of before it did are as they were sent. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const gunzipped = promisify(gunzip);

/** How gzip begins, and no XML in any encoding can. */
const MAGIC = Buffer.from([0x1f, 0x8b]);

/** @throws when the stored bytes are damaged */
export async function uncompressed(stored: Buffer): Promise<Buffer> {
  return stored.subarray(0, MAGIC.length).equals(MAGIC) ? gunzipped(stored) : stored;
}
