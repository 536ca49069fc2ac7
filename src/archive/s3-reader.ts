/** Reads an object of a bucket from any position, with few requests and little memory. */
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { isMissing } from './s3-client.ts';
import { FileMissing, type StoredFileReader } from './storage.ts';

const MIB = 1024 * 1024;
/** Minimum size of a request, because reads are mostly sequential. */
const READ_AHEAD_BYTES = MIB;
/**
 * Large ranges are read by several requests. A reader may be slow, and a storage closes idle connections.
 * The next request is in flight while a piece is used.
 */
const PIECE_BYTES = 4 * MIB;

interface Window {
  start: number;
  end: number;
  bytes: Promise<Buffer>;
}

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
  let ahead: Window | null = null;

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

  async function read(start: number, wantedEnd: number): Promise<Buffer> {
    const end = Math.min(wantedEnd, sizeBytes);
    if (start >= end) return Buffer.alloc(0);
    if (end - start > READ_AHEAD_BYTES) return request(start, end, closing.signal);
    const window = ahead && ahead.start <= start && end <= ahead.end ? ahead : readAhead(start);
    return (await window.bytes).subarray(start - window.start, end - window.start);
  }

  function readAhead(start: number): Window {
    const end = Math.min(start + READ_AHEAD_BYTES, sizeBytes);
    const window = { start, end, bytes: request(start, end, closing.signal) };
    window.bytes.catch(() => {
      if (ahead === window) ahead = null;
    });
    ahead = window;
    return window;
  }

  async function* pieces(start: number, wantedEnd: number): AsyncGenerator<Buffer> {
    const end = Math.min(wantedEnd, sizeBytes);
    if (end - start <= READ_AHEAD_BYTES) {
      const all = await read(start, end);
      if (all.length > 0) yield all;
      return;
    }
    const leaving = new AbortController();
    const signal = AbortSignal.any([closing.signal, leaving.signal]);
    const pieceFrom = (position: number) => {
      const piece = request(position, Math.min(position + PIECE_BYTES, end), signal);
      piece.catch(() => {}); // The error goes to the caller that awaits the piece. Without one it is ignored.
      return piece;
    };
    try {
      let next = pieceFrom(start);
      for (let position = start; position < end; position += PIECE_BYTES) {
        const piece = await next;
        if (position + PIECE_BYTES < end) next = pieceFrom(position + PIECE_BYTES);
        yield piece;
      }
    } finally {
      leaving.abort();
    }
  }

  return {
    sizeBytes,
    readAheadBytes: READ_AHEAD_BYTES,
    read,
    stream: (start, end) => Readable.from(pieces(start, end), { objectMode: false }),
    async close() {
      closing.abort();
    },
  };
}
