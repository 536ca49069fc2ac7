/**
 * Receives the multipart body of an upload (interface §2.1). The ZIP streams to the archive storage in constant memory.
 */
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import multer from '@koa/multer';
import pTimeout from 'p-timeout';
import type { Logger } from 'pino';
import type { ProductFiles } from '../../archive/product-files.ts';
import { type ArchiveStorage, packageKey, type StoredFile } from '../../archive/storage.ts';
import { excerpt } from '../../common/text.ts';
import { uploadFields } from '../../contract/schemas/upload.ts';
import type { MendedFile } from '../../database/repositories/imports.ts';
import { sendContinue } from '../../http/lingering-close.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { badRequest, HttpError } from '../http-error.ts';
import type { GatewayContext } from '../route.ts';
import { sha256Of } from '../streams.ts';
import { BodyTooLarge, MultipartBody, maxBodyBytes } from './multipart-body.ts';
import { passParts } from './multipart-parts.ts';
import { requireMultipart, TEXT_LIMITS, uploadError } from './multipart-rules.ts';

const FILE_FIELD = 'file';
const FILE_NAME_LENGTH = 255;
const REMOVAL_MS = 2_000;

export interface ReceivedArchive extends StoredFile {
  storageKey: string;
  /** The client's file name, made safe for logs and mails. */
  fileName: string;
  /** The corrected product file in it, under its name as sent; absent for a package of the client. */
  mended?: Omit<MendedFile, 'sha256Before'>;
}

export interface Upload {
  archive: ReceivedArchive;
  /** The text parts that the form has, not validated yet. */
  fields: Readonly<Record<string, unknown>>;
  /** Whether the archive belongs to a stored import, or may. Any other is removed after the request. */
  kept: boolean;
}

interface Expected {
  /** Import whose failed file the upload corrects; undefined for a package. */
  mends: number | undefined;
  /** False for a repeated request: its archive is only hashed, for the comparison with the first request. */
  isStored: boolean;
}

/** Creates the upload receiver. Disposing `held` removes an archive that belongs to no import. @throws HttpError */
export function createReceiver({
  storage,
  productFiles: { pack },
  limits: { maxUploadBytes, uploadIdleMs: idleMs, uploadFloor: floor },
}: Pick<GatewayDependencies, 'storage' | 'productFiles' | 'limits'>) {
  const readerInto = (engine: ArchiveEngine, mends: number | undefined, boundary: string) =>
    multer({
      storage: engine,
      streamHandler: (body: MultipartBody, busboy: Writable) => passParts(body, busboy, boundary),
      limits: { ...TEXT_LIMITS, fileSize: maxUploadBytes, files: 1, parts: TEXT_LIMITS.fields + 1 },
      defParamCharset: 'utf8',
      fileFilter:
        mends === undefined
          ? requireExtension('.zip', 'not_a_zip')
          : requireExtension('.xml', 'invalid_request'),
      // The types of @koa/multer describe an older multer, for Express.
    } as unknown as multer.Options).single(FILE_FIELD);

  return async (
    ctx: GatewayContext,
    { mends, isStored }: Expected,
    held: AsyncDisposableStack,
  ): Promise<Upload> => {
    const boundary = requireMultipart(ctx);
    sendContinue(ctx.req, ctx.res);
    const body = new MultipartBody(ctx.req, { maxBytes: maxBodyBytes(maxUploadBytes), idleMs, floor });
    // multer reads `ctx.req`. It gets the body stream instead of the request, so that it cannot touch the connection.
    const reading: GatewayContext = Object.create(ctx, { req: { value: body } });
    const target = isStored ? storage : { put: (_key: string, source: Readable) => sha256Of(source) };
    const engine = createArchiveEngine(target, mends, pack);
    let upload: Upload | undefined;
    held.defer(async () => {
      body.destroy();
      if (!upload?.kept) await removeWritten(engine, storage, ctx.state.log);
    });
    const read = readerInto(engine, mends, boundary);
    await read(reading as never, async () => {}).catch(async (error: unknown) => {
      throw uploadError(await causeOf(error, engine), maxUploadBytes);
    });
    upload = { archive: archiveOf(reading), fields: textOf(reading), kept: false };
    ctx.state.upload = upload;
    return upload;
  };
}

type Accept = (error: Error | null, take: boolean) => void;

function requireExtension(extension: string, code: 'not_a_zip' | 'invalid_request') {
  return (_request: unknown, { originalname }: { originalname: string }, accept: Accept): void => {
    const message = `The file must have the extension ${extension}; it is named "${excerpt(originalname)}".`;
    if (originalname.toLowerCase().endsWith(extension)) accept(null, true);
    else accept(new HttpError(code, message), false);
  };
}

function archiveOf(ctx: GatewayContext): ReceivedArchive {
  const { file } = ctx.request as unknown as { file?: ReceivedArchive };
  if (!file) throw new HttpError('no_file');
  return file;
}

/** Returns the known text parts. Drops unknown parts, so that they do not stay in memory until the answer. */
function textOf(ctx: GatewayContext): Upload['fields'] {
  const request = ctx.request as { body?: object };
  const parts = Object.entries(request.body ?? {}).filter(([name]) =>
    Object.hasOwn(uploadFields.shape, name),
  );
  delete request.body;
  // busboy decodes UTF-8, UTF-16LE and Latin-1. Without a refusal a part `dry_run` in another charset would count as
  // absent.
  const unread = parts.find(([, value]) => [value].flat().includes(undefined));
  if (unread) throw badRequest(`The text part "${unread[0]}" has an unsupported charset. Send it in UTF-8.`);
  return Object.fromEntries(parts);
}

type Done = (error: Error | null, info?: Partial<ReceivedArchive>) => void;

/** A failing storage aborts the file's stream first, so multer reports the abort instead of the storage's error. */
async function causeOf(error: unknown, { written }: ArchiveEngine): Promise<unknown> {
  const isAbort = error instanceof Error && error.name === 'AbortError';
  return isAbort && written ? written.then(() => error).catch((reason: unknown) => reason) : error;
}

type ArchiveEngine = ReturnType<typeof createArchiveEngine>;

/** multer's storage engine (its documentation, "StorageEngine.md") over the archive storage, for one upload. */
function createArchiveEngine(
  storage: Pick<ArchiveStorage, 'put'>,
  mends: number | undefined,
  pack: ProductFiles['pack'],
) {
  return {
    /** The archive that is being or has been written. */
    written: undefined as Promise<ReceivedArchive> | undefined,

    _handleFile(_body: unknown, file: { stream: Readable; originalname: string }, done: Done): void {
      const storageKey = packageKey(randomUUID(), new Date());
      const { originalname: xmlFile } = file;
      const fileName = excerpt(xmlFile, FILE_NAME_LENGTH);
      // busboy would keep the stream of a too large file open until its last byte has arrived.
      file.stream.once('limit', () => file.stream.destroy(new BodyTooLarge()));
      const mended = mends === undefined ? null : { importId: mends, ...pack(xmlFile, file.stream) };
      this.written = storage
        // busboy passes on the buffers of the connection, or parts of them, and does not reuse them.
        .put(storageKey, mended?.zip ?? file.stream, { mayTakeBuffers: true })
        .then((stored) => ({
          ...stored,
          storageKey,
          fileName,
          ...(mended && { mended: { importId: mended.importId, xmlFile, sha256After: mended.sha256() } }),
        }));
      this.written.then((archive) => done(null, archive), done);
    },
    // `removeWritten` removes the file, because multer does not wait for a file that is still being written.
    _removeFile: (_body: unknown, _file: unknown, done: Done) => done(null),
  };
}

/** Removes the archive before the answer is sent, but waits no longer than `REMOVAL_MS` for the storage. */
async function removeWritten(
  { written }: ArchiveEngine,
  storage: ArchiveStorage,
  log: Logger,
): Promise<void> {
  const removed = written?.then(
    ({ storageKey }) => storage.remove(storageKey),
    () => {},
  );
  // A fault of the storage must not hide the answer.
  const reported = removed?.catch((error) =>
    log.error({ err: error }, 'a ZIP that belongs to no import was not removed'),
  );
  if (reported) await pTimeout(reported, { milliseconds: REMOVAL_MS, message: false });
}
