/**
 * Sends a file as multipart body over Node's own HTTP client, in constant memory. `fetch` can neither wait for
 * "100 Continue" nor report progress.
 */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { FileChanged, isOfFile, Unreachable } from './errors.ts';

export interface FileToSend {
  path: string;
  sizeBytes: number;
}

interface SendOptions {
  headers: Readonly<Record<string, string>>;
  framing: Framing;
  /** Gets the number of sent bytes of the file. */
  onProgress?: ((sentBytes: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Some servers and proxies do not know "100 Continue" and stay silent. The body is sent anyway after this time. */
const CONTINUE_MS = 5_000;
/** While sending, a connection that takes no byte for this long is aborted. */
const STALLED_MS = 120_000;
/** While waiting for the answer, TCP keep-alive detects a vanished server. */
const KEEP_ALIVE_MS = 30_000;
const CHUNK_BYTES = 256 * 1024;

/**
 * Sends headers, waits for "100 Continue", then sends the file. An answer before the last byte
 * ends the sending.
 *
 * @throws Unreachable, FileChanged, an error of the file system, or the reason of an aborted signal
 */
export async function sendFile(url: string, file: FileToSend, options: SendOptions): Promise<Response> {
  const { headers, framing, signal } = options;
  const { head, tail, contentType } = framing;
  signal?.throwIfAborted();
  const request = requestFor(url)(url, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': contentType,
      'content-length': head.length + file.sizeBytes + tail.length,
      expect: '100-continue',
    },
  });
  request.once('socket', (socket) => socket.setKeepAlive(true, KEEP_ALIVE_MS));
  const abort = () => request.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await exchange(request, file, options);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FileChanged || isOfFile(error)) throw error;
    throw new Unreachable('gateway', url, error);
  } finally {
    signal?.removeEventListener('abort', abort);
    request.destroy();
  }
}

function requestFor(url: string): typeof httpRequest {
  return new URL(url).protocol === 'https:' ? httpsRequest : httpRequest;
}

function exchange(request: ClientRequest, file: FileToSend, options: SendOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    const answered = new AbortController();
    let begun = false;
    const begin = () => {
      if (begun || answered.signal.aborted) return;
      begun = true;
      sendBody(request, file, options, answered.signal).catch(reject);
    };
    const timer = setTimeout(begin, CONTINUE_MS);
    request.once('continue', begin);
    request.once('close', () => clearTimeout(timer));
    // Once the answer has begun, errors of the rest of the request are ignored.
    request.on('error', (error) => answered.signal.aborted || reject(error));
    request.once('response', (response) => {
      answered.abort();
      read(response).then(resolve, reject);
    });
  });
}

async function sendBody(
  request: ClientRequest,
  file: FileToSend,
  { framing, onProgress }: SendOptions,
  answered: AbortSignal,
): Promise<void> {
  const stalled = new Error(`nothing could be sent for ${STALLED_MS / 1000} s`);
  request.setTimeout(STALLED_MS, () => request.destroy(Object.assign(stalled, { code: 'ETIMEDOUT' })));
  const write = async (bytes: Buffer) => {
    if (!request.write(bytes)) await once(request, 'drain', { signal: answered });
  };
  try {
    await write(framing.head);
    let sent = 0;
    for await (const chunk of contentOf(file)) {
      await write(chunk);
      if (answered.aborted) return;
      sent += chunk.length;
      onProgress?.(sent);
    }
    request.end(framing.tail);
    // The answer takes as long as the processing of the package.
    request.setTimeout(0);
  } catch (error) {
    if (!answered.aborted) throw error;
  }
}

/** Yields exactly the announced number of bytes. */
async function* contentOf({ path, sizeBytes }: FileToSend): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    read += chunk.length;
    if (read > sizeBytes) break;
    yield chunk as Buffer;
  }
  if (read !== sizeBytes) throw new FileChanged(path);
}

async function read(response: IncomingMessage): Promise<Response> {
  const { statusCode = 0, headersDistinct } = response;
  const body = await buffer(response);
  const headers = Object.entries(headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  return new Response(body.length > 0 ? body : null, { status: statusCode, headers });
}

/** The bytes around a file in a multipart body (RFC 7578), so that the file itself can be streamed. */
interface Framing {
  contentType: string;
  /** Text parts, and the headers of the file's part. */
  head: Buffer;
  tail: Buffer;
}

/**
 * Uses the encoder of `fetch`, which works like every browser: quotes and line breaks of the file name are
 * percent-encoded, other characters are UTF-8. The file comes last, so that the gateway knows the text before it.
 */
export async function frameFile(
  fileName: string,
  fields: Readonly<Record<string, string | undefined>>,
): Promise<Framing> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  form.set('file', new Blob([], { type: 'application/zip' }), fileName);
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  const boundary = /boundary=(.+)$/.exec(contentType)?.[1] ?? '';
  const bytes = Buffer.from(await encoded.arrayBuffer());
  const fileGoesTo = bytes.lastIndexOf(`\r\n--${boundary}--`);
  return { contentType, head: bytes.subarray(0, fileGoesTo), tail: bytes.subarray(fileGoesTo) };
}
