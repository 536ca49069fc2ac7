/** Package files without a package around them. */
import { crc32 } from 'node:zlib';
import type { PackedFile } from '../../src/archive/packed-file.ts';

/** A file that is stored without compression. */
export function storedFile(content: string | Uint8Array): PackedFile {
  // In memory of its own, which can be transferred to a thread.
  const bytes = new Uint8Array(Buffer.from(content));
  const sizes = { compressedBytes: bytes.length, sizeBytes: bytes.length };
  return { name: 'a.xml', deflated: false, ...sizes, crc32: crc32(bytes), bytes };
}
