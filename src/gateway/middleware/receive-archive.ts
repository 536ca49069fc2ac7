/**
 * The multipart body of an upload (interface §2.1): the ZIP streams to the archive storage while it
 * arrives, in constant memory. Whatever goes wrong, nothing of it stays behind.
 */
import { PassThrough, type Readable } from 'node:stream';
import multer from '@koa/multer';
import type { Context, Middleware } from 'koa';
import type { ArchiveStorage, StoredFile } from '../../archive/storage.ts';
import { badRequest, HttpError, tooLarge } from '../http-error.ts';
import { inviteBody } from './linger.ts';

export interface ReceivedArchive extends StoredFile {
  storageKey: string;
  fileName: string;
}

/** What an upload leaves in `ctx.state`. */
export interface Upload {
  archive: ReceivedArchive;
  fields: Readonly<Record<string, unknown>>;
}

export interface ReceiveOptions {
  storage: ArchiveStorage;
  maxFileBytes: number;
  /** Milliseconds without a byte after which the upload is given up. */
  idleMs: number;
  /** A key for the next archive. */
  newKey(): string;
}

const FILE_FIELD = 'file';
/** Text parts: a comment may be long, but is no file. */
const FIELD_BYTES = 64 * 1024;
const FIELDS = 50;
/** What multipart framing and text parts may add to the file itself (design §4.1). */
export const FRAMING_BYTES = 1024 * 1024;

/** Receives the archive, runs `next`, and removes the archive again when `next` throws. */
export function receiveArchive(options: ReceiveOptions): Middleware {
  const { storage, maxFileBytes, newKey, idleMs } = options;
  const upload = multer({
    storage: archiveEngine(storage, newKey),
    limits: {
      fileSize: maxFileBytes,
      files: 1,
      fields: FIELDS,
      fieldSize: FIELD_BYTES,
      fieldNameSize: 100,
      parts: FIELDS + 1,
    },
    defParamCharset: 'utf8',
    fileFilter: (
      _request: unknown,
      file: { originalname: string },
      accept: (error: Error | null, take: boolean) => void,
    ) => {
      if (/\.zip$/i.test(file.originalname)) accept(null, true);
      else
        accept(
          badRequest(`The file must have the extension .zip; it is named "${file.originalname}".`),
          false,
        );
    },
  } as unknown as multer.Options).single(FILE_FIELD);

  return async (ctx, next) => {
    if (!ctx.is('multipart/form-data')) {
      throw badRequest('The request must be multipart/form-data with the ZIP in the part "file".');
    }
    inviteBody(ctx.req, ctx.res);
    const body = new MultipartBody(ctx, maxFileBytes + FRAMING_BYTES, idleMs);
    // multer reads `ctx.req`: it gets the body alone, which it may drain or leave without touching the connection.
    const reading = Object.create(ctx, { req: { value: body } }) as Context;
    try {
      await upload(reading as never, async () => {});
    } catch (error) {
      throw uploadError(error, maxFileBytes);
    } finally {
      body.end();
    }
    const archive = archiveOf(reading);
    try {
      ctx.state.upload = {
        archive,
        fields: { ...(reading.request as { body?: object }).body },
      } satisfies Upload;
      await next();
    } catch (error) {
      if (!ctx.state.archiveKept) await storage.remove(archive.storageKey);
      throw error;
    }
  };
}

/** From now on the archive belongs to a stored import: it is not removed whatever happens. */
export function keepArchive(ctx: Context): void {
  ctx.state.archiveKept = true;
}

function archiveOf(ctx: Context): ReceivedArchive {
  const { file } = ctx.request as unknown as { file?: ReceivedArchive };
  if (!file) throw badRequest('No file was sent. Send the ZIP in the multipart part "file".');
  return file;
}

type Done = (error: Error | null, info?: Partial<ReceivedArchive>) => void;

/** multer's storage engine (its documentation, "StorageEngine.md") over the archive storage. */
function archiveEngine(storage: ArchiveStorage, newKey: () => string) {
  return {
    _handleFile(_request: unknown, file: { stream: Readable; originalname: string }, done: Done): void {
      const storageKey = newKey();
      storage.put(storageKey, file.stream).then(
        (stored) => done(null, { ...stored, storageKey, fileName: file.originalname }),
        (error: Error) => done(error),
      );
    },
    _removeFile(_request: unknown, { storageKey }: Partial<ReceivedArchive>, done: Done): void {
      const removed = storageKey === undefined ? Promise.resolve() : storage.remove(storageKey);
      removed.then(() => done(null), done);
    },
  };
}

/**
 * The body as multer sees it. multer drains a body to its end before it reports an error; this one ends
 * as soon as multer lets go of it, so that the client hears of its fault at once. It fails when the
 * client disappears, sends too much, or falls silent.
 */
class MultipartBody extends PassThrough {
  readonly headers: Context['req']['headers'];
  readonly #source: Context['req'];
  #bytes = 0;

  constructor({ req }: Context, maxBytes: number, idleMs: number) {
    super({ highWaterMark: 256 * 1024 });
    this.headers = req.headers;
    this.#source = req;
    const { socket } = req;
    const onIdle = () =>
      this.destroy(new HttpError(408, `No byte of the upload arrived for ${idleMs / 1000} s.`));
    const onData = (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes > maxBytes) this.destroy(new BodyTooLarge());
    };
    const onClose = () => {
      if (!req.complete) this.destroy(new ClientGone());
    };
    socket.setTimeout(idleMs, onIdle);
    req.on('data', onData).on('close', onClose);
    req.pipe(this);
    this.once('close', () => {
      socket.setTimeout(0, onIdle);
      req.off('data', onData).off('close', onClose);
      req.unpipe(this);
      req.pause();
    });
  }

  override unpipe(destination?: NodeJS.WritableStream): this {
    super.unpipe(destination);
    if (!this.#source.complete) this.destroy();
    return this;
  }
}

class BodyTooLarge extends Error {}
class ClientGone extends Error {}

const MULTER_MESSAGES: Readonly<Record<string, string>> = {
  LIMIT_UNEXPECTED_FILE: 'Send exactly one file, in the part "file".',
  LIMIT_FILE_COUNT: 'Send exactly one file, in the part "file".',
  LIMIT_FIELD_KEY: 'The name of a part is too long.',
  LIMIT_FIELD_VALUE: `A text part is longer than ${FIELD_BYTES / 1024} KB.`,
  LIMIT_FIELD_COUNT: `There are more than ${FIELDS} text parts.`,
  LIMIT_PART_COUNT: `There are more than ${FIELDS + 1} parts.`,
  MISSING_FIELD_NAME: 'A part has no name.',
  INVALID_FIELD_NAME: 'The name of a part is invalid.',
};

/** multer's and busboy's errors carry no HTTP status (design §10). */
function uploadError(error: unknown, maxFileBytes: number): unknown {
  if (error instanceof HttpError) return error;
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (code === 'LIMIT_FILE_SIZE' || error instanceof BodyTooLarge) return tooLarge(maxFileBytes);
  if (error instanceof ClientGone)
    return new HttpError(400, 'The client disappeared before the upload was complete.');
  if (name === 'MulterError')
    return badRequest(MULTER_MESSAGES[code ?? ''] ?? `The multipart body is invalid: ${message}.`);
  if (
    /boundary|Multipart|Malformed|Unexpected end of form|Unexpected end of file|part header/i.test(
      message ?? '',
    )
  ) {
    return badRequest(`The multipart body is broken: ${message}.`);
  }
  return error;
}
