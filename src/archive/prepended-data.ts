/**
 * Archives with data in front of them (a self-extractor's program, a mail header) whose offsets still
 * count from the first byte of the archive proper. yauzl takes offsets as they are, so the length of
 * that data has to be known before.
 */
import type { StoredFileReader } from './storage.ts';

const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_END_RECORD_BYTES = 56;
const MAX_COMMENT_BYTES = 0xffff;

/** Bytes in front of the archive by which its offsets are short; 0 for an ordinary archive, or for none at all. */
export async function prependedBytes(file: StoredFileReader): Promise<number> {
  const tailBytes = Math.min(file.sizeBytes, ZIP64_LOCATOR_BYTES + END_RECORD_BYTES + MAX_COMMENT_BYTES);
  const tailStart = file.sizeBytes - tailBytes;
  const tail = await file.read(tailStart, file.sizeBytes);
  for (let at = tail.length - END_RECORD_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_RECORD) continue;
    if (tail.readUInt16LE(at + 20) !== tail.length - at - END_RECORD_BYTES) continue;
    return Math.max(0, missingOffset(tail, at, tailStart));
  }
  return 0;
}

function missingOffset(tail: Buffer, at: number, tailStart: number): number {
  const locatorAt = at - ZIP64_LOCATOR_BYTES;
  if (locatorAt >= ZIP64_END_RECORD_BYTES && tail.readUInt32LE(locatorAt) === ZIP64_LOCATOR) {
    const declared = Number(tail.readBigUInt64LE(locatorAt + 8));
    return tailStart + locatorAt - ZIP64_END_RECORD_BYTES - declared;
  }
  const directoryBytes = tail.readUInt32LE(at + 12);
  const declared = tail.readUInt32LE(at + 16);
  return tailStart + at - directoryBytes - declared;
}
