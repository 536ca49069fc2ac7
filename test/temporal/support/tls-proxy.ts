/**
 * A proxy in front of a Temporal cluster: it terminates TLS, optionally requires a client certificate, and
 * records the headers.
 */
import { readFile } from 'node:fs/promises';
import {
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { KeyPair } from '../../support/certificates.ts';
import { atEnd } from '../../support/cleanup.ts';
import { listenLocally } from '../../support/local-server.ts';

export interface TlsProxy {
  /** `host:port` */
  address: string;
  /** Headers of every call, in order. */
  calls: IncomingHttpHeaders[];
}

/**
 * @param target address of a server without TLS
 * @param clientAuthority file (PEM) of the authority that must have signed the client certificate; without
 * it, every client is accepted
 */
export async function startTlsProxy(
  target: string,
  { cert, key }: KeyPair,
  clientAuthority?: string,
): Promise<TlsProxy> {
  const calls: IncomingHttpHeaders[] = [];
  const server = createSecureServer({
    cert: await readFile(cert),
    key: await readFile(key),
    ...(clientAuthority && {
      ca: await readFile(clientAuthority),
      requestCert: true,
      rejectUnauthorized: true,
    }),
  });
  const upstream = connect(`http://${target}`);
  server.on('session', (session) => session.on('error', () => {}));
  server.on('sessionError', () => {});
  server.on('stream', (stream, headers) => {
    calls.push(headers);
    forward(stream, upstream.request({ ...headers, ':scheme': 'http', ':authority': target }));
  });
  atEnd(() => upstream.destroy());
  return { address: `127.0.0.1:${await listenLocally(server)}`, calls };
}

type Upstream = ReturnType<ReturnType<typeof connect>['request']>;

/** Forwards one call: its body, the answer's headers, body and trailers, and cancellations in both directions. */
function forward(stream: ServerHttp2Stream, call: Upstream): void {
  // Trailers may come after the end of the body.
  const trailers = new Promise<IncomingHttpHeaders>((resolve) => {
    call.once('trailers', resolve);
    call.once('close', () => resolve({}));
  });
  stream.on('error', () => {});
  call.on('error', () => stream.destroyed || stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  call.on('response', (headers, flags) => {
    if (stream.destroyed) return;
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(headers, endStream ? { endStream } : { waitForTrailers: true });
  });
  stream.on('wantTrailers', async () => {
    const received = await trailers;
    if (!stream.destroyed) stream.sendTrailers(received);
  });
  stream.on('close', () => call.destroyed || call.close(constants.NGHTTP2_CANCEL));
  stream.pipe(call);
  call.pipe(stream);
}
