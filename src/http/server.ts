/** The HTTP server under our Koa applications: what Koa leaves to Node (design §10). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';

/** Time for a client to send its headers. The body has no such limit, but an idle timeout of its own. */
const HEADERS_TIMEOUT_MS = 30_000;
/** Longer than load balancers keep theirs: one that reuses a connection must not meet it closing. */
const KEEP_ALIVE_MS = 75_000;
const MAX_HEADER_BYTES = 16 * 1024;

export interface RunningServer {
  server: Server;
  port: number;
  /** Stops accepting, finishes what runs, then closes; after `graceMs` what is left is cut off. */
  close(graceMs: number): Promise<void>;
}

export async function listen(
  app: Koa,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const handle = app.callback();
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 0,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    handle,
  );
  // Without this Node says "100 Continue" before anybody has looked at the request.
  server.on('checkContinue', handle);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    async close(graceMs) {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}
