/** The body of an upload while it arrives. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { HttpError } from '../http-error.ts';

export interface BodyLimits {
  /** Of the whole body, framing and text parts included. */
  maxBytes: number;
  /** Milliseconds without a byte after which the upload is given up. */
  idleMs: number;
  floor: UploadFloor;
}

/** Below it an upload is given up: one that sends a byte now and then would hold its memory and its slot for days. */
export interface UploadFloor {
  /** 0 for none. */
  bytesPerSecond: number;
  /** Over which that is averaged, beginning anew each time. */
  windowMs: number;
}

/** The body has more bytes than it may have. */
export class BodyTooLarge extends Error {}

/** The connection ended before the body did. */
export class ClientGone extends Error {}

const BUFFER_BYTES = 256 * 1024;

/**
 * The body as multer sees it. multer drains a body to its end before it reports an error; this one ends as soon
 * as multer lets go of it, so that the client hears of its fault at once. It fails when the client disappears,
 * sends too much, or falls silent.
 */
export class MultipartBody extends PassThrough {
  /** Where multer looks for the boundary. */
  readonly headers: IncomingMessage['headers'];
  readonly #request: IncomingMessage;
  readonly #floor: UploadFloor;

  constructor(request: IncomingMessage, { maxBytes, idleMs, floor }: BodyLimits) {
    super({ highWaterMark: BUFFER_BYTES });
    this.headers = request.headers;
    this.#request = request;
    this.#floor = floor;
    const idle = setTimeout(() => this.destroy(this.#silence(idleMs)), idleMs);
    let bytes = 0;
    /** Of the present window, and whether it is our storage that has held them up. */
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
      if (fresh.bytes < enough && !fresh.held && !this.writableNeedDrain) this.destroy(this.#slow());
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
    // The client may have gone while the request was being judged.
    if (request.destroyed) onClose();
  }

  override unpipe(destination?: NodeJS.WritableStream): this {
    super.unpipe(destination);
    if (!this.#request.readableEnded) this.destroy();
    return this;
  }

  /** Nothing arrives also while nothing is taken in: then it is not the client that is silent. */
  #silence(idleMs: number): HttpError {
    const seconds = idleMs / 1000;
    return this.writableNeedDrain
      ? new HttpError(
          'temporarily_unavailable',
          `The archive storage took nothing of the upload for ${seconds} s.`,
        )
      : new HttpError('request_timeout', `No byte of the upload arrived for ${seconds} s.`);
  }
  #slow(): HttpError {
    const { bytesPerSecond, windowMs } = this.#floor;
    return new HttpError(
      'request_timeout',
      `The upload was too slow: less than ${bytesPerSecond} bytes per second arrived for ${windowMs / 1000} s.`,
    );
  }
}
