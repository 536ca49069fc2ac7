/** Reads an object of a bucket from any position, with few requests and little memory. */
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { isMissing } from './s3-client.ts';
import { FileMissing, type StoredFileReader } from './storage.ts';

const MIB = 1024 * 1024;
/**
 * A stream is read by several requests. A reader may be slow, and a storage closes idle connections.
 * The next request is in flight while a piece is used.
 */
const STREAMED_BYTES = 4 * MIB;

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
  async function request(start: number, end: number, signal: AbortSignal): Promise<Buffer> {
    const { Body } = await client.send(
      new GetObjectCommand({ ...object, Range: `bytes=${start}-${end - 1}`, IfMatch: ETag }),
      { abortSignal: signal },
    );
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    if (bytes.length !== end - start)
      throw new Error(
        `${location}: the storage sent ${bytes.length} instead of ${end - start} bytes from offset ${start}`,
      );
    return bytes;
  }

  async function* pieces(start: number, wantedEnd: number): AsyncGenerator<Buffer> {
    const end = Math.min(wantedEnd, sizeBytes);
    const leaving = new AbortController();
    const signal = AbortSignal.any([closing.signal, leaving.signal]);
    const pieceFrom = (position: number) => {
      if (position >= end) return null;
      const piece = request(position, Math.min(position + STREAMED_BYTES, end), signal);
      piece.catch(() => {}); // The error goes to the caller that awaits the piece. Without one it is ignored.
      return piece;
    };
    try {
      let next = pieceFrom(start);
      for (let position = start; next; ) {
        const piece = await next;
        position += piece.length;
        next = pieceFrom(position);
        yield piece;
      }
    } finally {
      leaving.abort();
    }
  }

  return {
    sizeBytes,
    pieceBytes: MIB,
    async read(start, wantedEnd) {
      const end = Math.min(wantedEnd, sizeBytes);
      return start < end ? request(start, end, closing.signal) : Buffer.alloc(0);
    },
    stream: (start, end) => Readable.from(pieces(start, end), { objectMode: false }),
    async close() {
      closing.abort();
    },
  };
}
