import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { portsWith } from '../../src/config/constants.ts';

/**
 * Ports below the range of outgoing connections (from 32768 on Linux, from 49152 elsewhere, RFC 6335 section 6). Otherwise
 * a connection could take the port of a server that is about to start or restart.
 */
const PORTS = { min: 10_240, max: 32_768 };

/** Finds free ports. All are held until all are found, so that none is returned twice. */
export async function freePorts(count: number): Promise<number[]> {
  const found = await Promise.all(Array.from({ length: count }, listenSomewhere));
  await Promise.all(found.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return found.map(({ port }) => port);
}

/** Finds a PORT_OFFSET with which all ports of the service are free. */
export async function freePortOffset(): Promise<number> {
  const usual = Object.values(portsWith(0));
  const offset = randomInt(PORTS.min - Math.min(...usual), PORTS.max - Math.max(...usual));
  const servers = await Promise.all(Object.values(portsWith(offset)).map(listenOn));
  await Promise.all(servers.map((server) => server && new Promise((resolve) => server.close(resolve))));
  return servers.includes(null) ? freePortOffset() : offset;
}

async function listenSomewhere(): Promise<{ port: number; server: Server }> {
  const port = randomInt(PORTS.min, PORTS.max);
  const server = await listenOn(port);
  return server ? { port, server } : listenSomewhere();
}

/** Null if the port is taken. */
async function listenOn(port: number): Promise<Server | null> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  return isFree ? server : null;
}
