/**
 * Refusals before the application sees a request: invalid HTTP, oversized or late headers. Unlike Node's own answers,
 * these have the envelope (decision §answers) and reach clients that are still sending.
 */
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../contract/error-codes.ts';
import { SECURITY_HEADERS } from './koa.ts';
import { isClosing, lingeringClose } from './lingering-close.ts';
import type { Exchange } from './pipelining.ts';

/** URL of the page about an error code. */
export type DocUrls = (code: ErrorCode) => string;

export interface Refusal {
  /** The status of HTTP for this fault, independent of the status of `code`. */
  status: number;
  code: ErrorCode;
  message: string;
  retryAfterSeconds?: number;
}

const OF_NODE: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'invalid_request',
    message: 'The headers of the request are too large.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'invalid_request',
    message: 'The chunk extensions of the body are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    message: 'The headers of the request did not arrive in time.',
  },
};
const BROKEN: Refusal = { status: 400, code: 'invalid_request', message: 'The request is not valid HTTP.' };
/** RFC 9110 §9.1. Node has no request for a method that it does not know. */
const UNKNOWN_METHOD: Refusal = {
  status: 501,
  code: 'method_not_allowed',
  message: 'The method of the request is unknown. Methods are written in capital letters.',
};
/** RFC 9112 §3. Node calls it an invalid method, too, if something else arrives, such as TLS. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/\d\.\d\r\n/;
/** RFC 9112 §3.2. */
const NO_HOST: Refusal = { status: 400, code: 'invalid_request', message: 'The request has no Host header.' };
/** Node accepts requests with any version. */
const OTHER_VERSION: Refusal = {
  status: 505,
  code: 'invalid_request',
  message: 'The HTTP version must be 1.0 or 1.1.',
};
export const NO_TUNNEL: Refusal = {
  status: 405,
  code: 'method_not_allowed',
  message: 'The method CONNECT is not supported.',
};

/** The process has reached its maximum number of connections. */
export const FULL: Refusal = {
  status: 503,
  code: 'overloaded',
  message: 'The service has too many connections. Try again in a few seconds.',
  retryAfterSeconds: 5,
};

/** The fault of a request that Node accepts although it is invalid. */
export function faultOf({ httpVersion, headers }: IncomingMessage): Refusal | undefined {
  if (httpVersion !== '1.0' && httpVersion !== '1.1') return OTHER_VERSION;
  return httpVersion === '1.1' && headers.host === undefined ? NO_HOST : undefined;
}

type ConnectionError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** The refusal for an error of Node's HTTP parser. */
export function faultOfConnection({ code, rawPacket }: ConnectionError): Refusal {
  if (code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(String(rawPacket))) return UNKNOWN_METHOD;
  return OF_NODE[code ?? ''] ?? BROKEN;
}

/**
 * Writes a refusal directly to the socket and closes the connection. The refusal is never written into an answer that
 * is being sent. If an earlier request is still being processed, the connection closes after its answer, without the
 * refusal. After an error of the connection, the socket is destroyed already.
 *
 * @param docUrlOf URL of the page about an error code
 */
export function refuse(
  socket: Socket,
  latest: Exchange | undefined,
  refusal: Refusal,
  docUrlOf?: DocUrls,
): void {
  if (socket.destroyed || isClosing(socket)) return;
  const working = latest && !latest.response.writableFinished;
  if (working && latest.request.complete) closeAfter(latest.response, socket);
  else if (working && (latest.response.headersSent || latest.response.socket === null)) socket.destroy();
  else if (!socket.writable) socket.destroy();
  else {
    socket.write(rendered(refusal, docUrlOf));
    // Node must not parse further bytes as HTTP.
    socket.removeAllListeners('data');
    void lingeringClose(socket, socket);
  }
}

function closeAfter(response: ServerResponse, socket: Socket): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  response.once('close', () => socket.destroy());
}

function rendered({ status, code, message, retryAfterSeconds }: Refusal, docUrlOf?: DocUrls): string {
  const data = { code, ...(docUrlOf && { doc_url: docUrlOf(code) }) };
  const body = JSON.stringify({ status: 'error', message, data });
  const headers = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': randomUUID(),
    ...(retryAfterSeconds !== undefined && { 'Retry-After': retryAfterSeconds }),
    ...SECURITY_HEADERS,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
