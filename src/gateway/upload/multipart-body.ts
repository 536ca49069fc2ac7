/** The multipart body of an upload, with limits on size, idle time and speed. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { HttpError } from '../http-error.ts';

interface BodyLimits {
  /** Size of the whole body, framing and text parts included. */
  maxBytes: number;
  /** Idle timeout: milliseconds without a byte after which the upload is aborted. */
  idleMs: number;
  floor: UploadFloor;
}

/** Minimum speed. Without it, an upload that sends a byte now and then would hold its memory and its place for days. */
export interface UploadFloor {
  /** 0 for no minimum. */
  bytesPerSecond: number;
  /** Fixed window over which the speed is averaged. */
  windowMs: number;
}

/** Allowance for multipart framing and text parts. */
const FRAMING_BYTES = 1024 * 1024;

/** Limit of the whole body. The exact limit of the file is enforced while it arrives. */
export function maxBodyBytes(maxFileBytes: number): number {
  return maxFileBytes + FRAMING_BYTES;
}

/** The body exceeds `maxBytes`. */
export class BodyTooLarge extends Error {}

/** The connection ended before the body did. */
export class ClientGone extends Error {}

const BUFFER_BYTES = 256 * 1024;

/**
 * The request body as multer reads it. multer drains a body to its end before it reports an error. This stream ends as
 * soon as multer unpipes it, so that the client gets its error at once. It fails if the client disconnects, sends too
 * much, stays idle or is too slow.
 */
export class MultipartBody extends PassThrough {
  /** multer reads the boundary from them. */
  readonly headers: IncomingMessage['headers'];
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage, { maxBytes, idleMs, floor }: BodyLimits) {
    super({ highWaterMark: BUFFER_BYTES });
    this.headers = request.headers;
    this.#request = request;
    const idle = setTimeout(() => this.destroy(silence(idleMs, this.writableNeedDrain)), idleMs);
    let bytes = 0;
    /** Bytes of the current window, and whether the storage has held them up. */
    let fresh = { bytes: 0, held: false };
    const onData = (chunk: Buffer) => {
      idle.refresh();
      bytes += chunk.length;
      fresh.bytes += chunk.length;
      fresh.held ||= this.writableNeedDrain;
      if (bytes > maxBytes) this.destroy(new BodyTooLarge());
    };
    const window = setInterval(() => {
      const enough = (floor.bytesPerSecond * floor.windowMs) / 1000;
      if (fresh.bytes < enough && !fresh.held && !this.writableNeedDrain) this.destroy(tooSlow(floor));
      fresh = { bytes: 0, held: false };
    }, floor.windowMs);
    const onEnd = () => {
      clearTimeout(idle);
      clearInterval(window);
    };
    const onClose = () => {
      if (!request.readableEnded) this.destroy(new ClientGone());
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose);
    request.pipe(this);
    this.once('close', () => {
      onEnd();
      request.off('data', onData).off('end', onEnd).off('close', onClose);
      request.unpipe(this);
      request.pause();
    });
    // The client may have disconnected during the checks before.
    if (request.destroyed) onClose();
  }

  override unpipe(destination?: NodeJS.WritableStream): this {
    super.unpipe(destination);
    if (!this.#request.readableEnded) this.destroy();
    return this;
  }
}

/** @param isHeldUp whether the storage has stopped the upload, so that the client is not to blame */
function silence(idleMs: number, isHeldUp: boolean): HttpError {
  const seconds = idleMs / 1000;
  if (!isHeldUp) return late(`No byte of the upload arrived for ${seconds} s. Send the package again.`);
  const message = `The archive storage accepted no data of the upload for ${seconds} s. Send the package again.`;
  return new HttpError('temporarily_unavailable', message);
}

function tooSlow({ bytesPerSecond, windowMs }: UploadFloor): HttpError {
  const seconds = windowMs / 1000;
  return late(
    `The upload was too slow: less than ${bytesPerSecond} bytes per second arrived for ${seconds} s.`,
  );
}

const late = (message: string) => new HttpError('request_timeout', message);
