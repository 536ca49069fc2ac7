/** A proxy that forwards requests and loses answers, like a failing network. */
import { connect, createServer } from 'node:net';
import { listenLocally } from './local-server.ts';

/**
 * @param target address of the server
 * @param losses number of connections whose final answer is lost; all later ones work
 */
export async function startLosingProxy(
  target: { port: number },
  losses: number,
): Promise<{ url: string; lost: () => number }> {
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1');
    for (const socket of [client, upstream]) {
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
  return { url: `http://127.0.0.1:${await listenLocally(server)}`, lost: () => lost };
}
