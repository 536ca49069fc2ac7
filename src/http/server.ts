/** The HTTP server under our Koa applications: what Koa leaves to Node (architecture §uploads-stream). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import pTimeout from 'p-timeout';
import { type Exchange, FULL, faultOf, NO_TUNNEL, refuse, refuseConnection } from './refused-connections.ts';

/** Time for a client to send its headers. The body has no such limit, but an idle timeout of its own. */
const HEADERS_TIMEOUT_MS = 30_000;
/** How exactly that time is kept. */
const CHECK_INTERVAL_MS = 5_000;
/** Longer than load balancers keep theirs: one that reuses a connection must not meet it closing. */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Connections beyond the limit that are heard, to be told that they are too many. */
const SURPLUS = 1.25;
/** After the grace of a stop, for what was cut off to remove what it has written. */
const TIDYING_MS = 5_000;

export interface ListenOptions {
  host: string;
  /** 0 for any that is free. */
  port: number;
  headersTimeoutMs?: number;
  /** Requests over further connections get 503, and connections far beyond it are closed at once. */
  maxConnections?: number;
}

export interface RunningServer {
  server: Server;
  port: number;
  /**
   * Stops accepting, finishes what runs, then closes; after `graceMs` what is left is cut off. Requests whose
   * client has gone are waited for as well.
   */
  close(graceMs: number): Promise<void>;
}

export async function listen(app: Koa, options: ListenOptions): Promise<RunningServer> {
  const { host, port, headersTimeoutMs = HEADERS_TIMEOUT_MS, maxConnections = Infinity } = options;
  const handle = app.callback();
  const connections = new Set<Socket>();
  const exchanges = new WeakMap<Socket, Exchange>();
  const surplus = new WeakSet<Socket>();
  const running = new Set<Promise<void>>();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const fault = faultOf(request);
    if (fault) return refuse(socket, exchanges.get(socket), fault);
    if (surplus.has(socket)) return refuse(socket, exchanges.get(socket), FULL);
    exchanges.set(socket, { request, response });
    const done = handle(request, response).finally(() => running.delete(done));
    running.add(done);
  };
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  });
  // A client may close its side when it has sent everything. Otherwise Node would end the request at that,
  // whether its last bytes have been read or not. (The property is missing in Node's types.)
  Object.assign(server, { httpAllowHalfOpen: true });
  if (Number.isFinite(maxConnections)) server.maxConnections = Math.ceil(maxConnections * SURPLUS);
  server.on('request', serve);
  // Without this Node says "100 Continue" before anybody has looked at the request.
  server.on('checkContinue', serve);
  // Other expectations may be ignored (RFC 9110 §10.1.1).
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket: Socket) => refuse(socket, exchanges.get(socket), NO_TUNNEL));
  server.on('clientError', (error, socket: Socket) => refuseConnection(error, socket, exchanges.get(socket)));
  server.on('connection', (socket) => {
    if (connections.size >= maxConnections) surplus.add(socket);
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const deadline = Date.now() + graceMs;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) finishConnection(socket, exchanges.get(socket));
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cutOff);
      const milliseconds = Math.max(deadline - Date.now(), TIDYING_MS);
      await pTimeout(Promise.allSettled(running), { milliseconds, message: false });
    },
  };
}

/** Ends a connection with the answer under way, or at once when there is none. */
function finishConnection(socket: Socket, exchange: Exchange | undefined): void {
  if (!exchange || exchange.response.writableFinished) socket.destroy();
  else if (!exchange.response.headersSent) exchange.response.setHeader('Connection', 'close');
}
