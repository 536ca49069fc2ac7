/** The HTTP server of the Koa applications, with limits on connections and time (decision §connections-are-bounded). */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import pTimeout from 'p-timeout';
import { createPipelines, type Exchange } from './pipelining.ts';
import {
  type DocUrls,
  FULL,
  faultOf,
  faultOfConnection,
  NO_TUNNEL,
  type Refusal,
  refuse,
} from './refused-connections.ts';
import { endSlowClients } from './slow-clients.ts';

/** Time for a client to send its headers. The body has no such limit, but an idle timeout of its own. */
const HEADERS_TIMEOUT_MS = 30_000;
/** Interval at which that timeout is checked. */
const CHECK_INTERVAL_MS = 5_000;
/** Longer than the idle timeout of load balancers, so that a load balancer does not reuse a closing connection. */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16 * 1024;
/**
 * Window over which the throughput of a client that reads an answer is averaged. With one sample more it is within a
 * minute.
 */
const SLOW_CLIENT_MS = 50_000;
/** Factor of `maxConnections` up to which connections are accepted, to answer 503 beyond the limit. */
const SURPLUS = 1.25;
/** Minimum time for aborted requests to clean up at a stop. */
const TIDYING_MS = 5_000;

interface ListenOptions {
  host: string;
  /** 0 for any free port. */
  port: number;
  headersTimeoutMs?: number;
  /** Window after which the connection of a slow client is closed. */
  slowClientMs?: number;
  /** Requests on further connections get 503. Connections beyond 1.25 times the limit are closed at once. */
  maxConnections?: number;
  /** For refusals. Absent: they name no page about their code. */
  docUrlOf?: DocUrls;
}

export interface RunningServer {
  server: Server;
  port: number;
  /**
   * Stops accepting connections and waits for running requests, also for those whose client has disconnected. Closes the
   * remaining connections after `graceMs`, and those of uploads after `uploadGraceMs`.
   */
  close(graceMs: number, uploadGraceMs?: number): Promise<void>;
}

export async function listen(app: Koa, options: ListenOptions): Promise<RunningServer> {
  const { host, port, maxConnections = Infinity, docUrlOf } = options;
  const { headersTimeoutMs = HEADERS_TIMEOUT_MS, slowClientMs = SLOW_CLIENT_MS } = options;
  const handle = app.callback();
  const connections = new Set<Socket>();
  const surplus = new WeakSet<Socket>();
  const running = new Set<Promise<void>>();
  const pipelines = createPipelines(({ request, response }) => {
    const done = handle(request, response).finally(() => running.delete(done));
    running.add(done);
  });
  const refuseOn = (socket: Socket, refusal: Refusal) =>
    refuse(socket, pipelines.open(socket).at(-1), refusal, docUrlOf);
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const fault = faultOf(request);
    if (fault) return refuseOn(socket, fault);
    if (surplus.has(socket)) return refuseOn(socket, FULL);
    pipelines.take({ request, response });
  };
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: 0,
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, headersTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false,
  });
  // A client may close its side once it has sent everything. Without this, Node would then end the request, even with
  // unread bytes. (The property is missing in Node's types.)
  Object.assign(server, { httpAllowHalfOpen: true });
  if (Number.isFinite(maxConnections)) server.maxConnections = Math.ceil(maxConnections * SURPLUS);
  server.on('request', serve);
  // Without this listener Node sends "100 Continue" before the application has checked the request.
  server.on('checkContinue', serve);
  // Other expectations may be ignored (RFC 9110 §10.1.1).
  server.on('checkExpectation', serve);
  server.on('connect', (_request, socket: Socket) => refuseOn(socket, NO_TUNNEL));
  server.on('clientError', (error, socket: Socket) => refuseOn(socket, faultOfConnection(error)));
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
    async close(graceMs, uploadGraceMs = graceMs) {
      const deadline = Date.now() + graceMs;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of connections) finishConnection(socket, pipelines.open(socket));
      const cutOthers = setTimeout(() => {
        for (const socket of connections) if (!pipelines.open(socket).some(isUpload)) socket.destroy();
      }, graceMs);
      const cutAll = setTimeout(() => server.closeAllConnections(), uploadGraceMs);
      await closed;
      clearTimeout(cutOthers);
      clearTimeout(cutAll);
      stopLooking();
      const milliseconds = Math.max(deadline - Date.now(), TIDYING_MS);
      await pTimeout(Promise.allSettled(running), { milliseconds, message: false });
    },
  };
}

/** Without its answer, the client would have to send everything again. */
function isUpload({ request }: Exchange): boolean {
  return /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
}

/** Closes a connection after its current answer, or at once if there is none. Waiting requests are not started. */
function finishConnection(socket: Socket, open: readonly Exchange[]): void {
  if (open.length === 0) socket.destroy();
  for (const { response } of open) if (!response.headersSent) response.setHeader('Connection', 'close');
}
