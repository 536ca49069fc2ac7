/** A proxy that forwards requests and loses answers, like a failing network. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * @param target address of the server
 * @param losses number of connections whose final answer is lost; all later ones work
 */
export async function startLosingProxy(
  target: { port: number },
  losses: number,
): Promise<{ url: string; lost: () => number }> {
  let lost = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy();
          upstream.destroy();
        });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      const isFinal = /^HTTP\/1\.1 [2-5]/.test(chunk.toString('latin1', 0, 12));
      if (isFinal && lost < losses) {
        lost += 1;
        client.destroy();
      } else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lost: () => lost };
}
