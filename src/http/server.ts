/** The HTTP server under our Koa applications: what Koa leaves to Node (decision §connections-are-bounded). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import pTimeout from 'p-timeout';
import { FULL, faultOf, NO_TUNNEL, refuse, refuseConnection } from './refused-connections.ts';
import { endSlowClients } from './slow-clients.ts';
import { createTurns, type Exchange } from './turns.ts';

/** Time for a client to send its headers. The body has no such limit, but an idle timeout of its own. */
const HEADERS_TIMEOUT_MS = 30_000;
/** How exactly that time is kept. */
const CHECK_INTERVAL_MS = 5_000;
/** Longer than load balancers keep theirs: one that reuses a connection must not meet it closing. */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16 * 1024;
/** Over which the least throughput of a client that reads an answer is averaged. */
const SLOW_CLIENT_MS = 60_000;
/** Connections beyond the limit that are heard, to be told that they are too many. */
const SURPLUS = 1.25;
/** After the grace of a stop, for what was cut off to remove what it has written. */
const TIDYING_MS = 5_000;

export interface ListenOptions {
  host: string;
  /** 0 for any that is free. */
  port: number;
  headersTimeoutMs?: number;
  /** A client that takes next to nothing of its answer for so long loses its connection. */
  slowClientMs?: number;
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
  const { host, port, maxConnections = Infinity } = options;
  const { headersTimeoutMs = HEADERS_TIMEOUT_MS, slowClientMs = SLOW_CLIENT_MS } = options;
  const handle = app.callback();
  const connections = new Set<Socket>();
  const surplus = new WeakSet<Socket>();
  const running = new Set<Promise<void>>();
  const turns = createTurns(({ request, response }) => {
    const done = handle(request, response).finally(() => running.delete(done));
    running.add(done);
  });
  const latest = (socket: Socket) => turns.open(socket).at(-1);
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const fault = faultOf(request);
    if (fault) return refuse(socket, latest(socket), fault);
    if (surplus.has(socket)) return refuse(socket, latest(socket), FULL);
    turns.take({ request, response });
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
  server.on('connect', (_request, socket: Socket) => refuse(socket, latest(socket), NO_TUNNEL));
  server.on('clientError', (error, socket: Socket) => refuseConnection(error, socket, latest(socket)));
  server.on('connection', (socket) => {
    if (connections.size >= maxConnections) surplus.add(socket);
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const stopLooking = endSlowClients(connections, slowClientMs);
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const deadline = Date.now() + graceMs;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) finishConnection(socket, turns.open(socket));
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cutOff);
      stopLooking();
      const milliseconds = Math.max(deadline - Date.now(), TIDYING_MS);
      await pTimeout(Promise.allSettled(running), { milliseconds, message: false });
    },
  };
}

/** Ends a connection with the answer under way, or at once when there is none. Requests that wait are not begun. */
function finishConnection(socket: Socket, open: readonly Exchange[]): void {
  if (open.length === 0) socket.destroy();
  for (const { response } of open) if (!response.headersSent) response.setHeader('Connection', 'close');
}
