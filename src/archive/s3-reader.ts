/** Reads an object of a bucket from any position, with few requests and little memory. */
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { isMissing } from './s3-client.ts';
import { FileMissing, type StoredFileReader } from './storage.ts';

/** A reader may be slow, and a storage closes idle connections: each piece is a request. */
const PIECE_BYTES = 1024 * 1024;

/** @throws FileMissing when there is no such object */
export async function openS3Reader(
  client: S3Client,
  object: { Bucket: string; Key: string },
  location: string,
): Promise<StoredFileReader> {
  const { ContentLength: sizeBytes = 0, ETag } = await client
    .send(new HeadObjectCommand(object))
    .catch((error) => {
      throw isMissing(error) ? new FileMissing(location) : error;
    });
  const closing = new AbortController();

  /** Reads the object in the version that was opened, or fails. It never mixes two versions. */
  async function request(start: number, end: number): Promise<Buffer> {
    const { Body } = await client.send(
      new GetObjectCommand({ ...object, Range: `bytes=${start}-${end - 1}`, IfMatch: ETag }),
      { abortSignal: closing.signal },
    );
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    if (bytes.length !== end - start)
      throw new Error(
        `${location}: the storage sent ${bytes.length} instead of ${end - start} bytes from offset ${start}`,
      );
    return bytes;
  }

  return {
    sizeBytes,
    pieceBytes: PIECE_BYTES,
    async read(start, wantedEnd) {
      const end = Math.min(wantedEnd, sizeBytes);
      return start < end ? request(start, end) : Buffer.alloc(0);
    },
    async close() {
      closing.abort();
    },
  };
}
