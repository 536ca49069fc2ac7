/** By what the regulator knows a submission: the same for the same file of the same import, whenever it is read. */
import { createHash } from 'node:crypto';

/**
 * Made from the import and the path of the file, because reading may be repeated on records that know nothing of the
 * first time: after a restore from a backup that is older than the reading. The regulator then finds the cases that it
 * has opened (decision §restored-means-repeated).
 *
 * @returns a UUID of version 8 (RFC 9562 §5.8)
 */
export function submissionUuid(importUuid: string, entryPath: string): string {
  const bytes = createHash('sha256').update(`${importUuid}/${entryPath}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
