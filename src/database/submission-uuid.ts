/**
 * The client reference of a submission for the regulator: each reading of the same file of the same import gives the
 * same one.
 */
import { createHash } from 'node:crypto';

/**
 * Derives the uuid from the import and the path of the file. After a restore from an older backup, the file is read
 * again without a record of the first reading. The regulator then finds the cases that it has opened
 * (decision §restored-means-repeated).
 *
 * @returns a UUID of version 8 (RFC 9562 §5.8)
 */
export function submissionUuid(importUuid: string, entryPath: string): string {
  const bytes = createHash('sha256').update(`${importUuid}/${entryPath}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
