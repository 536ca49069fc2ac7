/** Memory of the gateway under load from clients without a token (decision §connections-are-bounded). */
import { expect, it } from 'vitest';
import { Connection } from '../support/connection.ts';
import { eventually } from '../support/eventually.ts';
import { head } from '../support/multipart.ts';
import { type GatewayProcess, startGatewayProcess } from '../support/starters/gateway.ts';

const MB = 1024 * 1024;
const PATHS = ['/api/doc/swagger-ui-bundle.js', '/api/doc.json'];

/** Opens connections that send requests repeatedly and read nothing, until the gateway closes all of them. */
async function stall(
  gateway: GatewayProcess,
  path: string,
  connections: number,
  requests: number,
): Promise<number> {
  const before = (await gateway.usage()).rss;
  const text = head({}, { method: 'GET', path }).repeat(requests);
  const opened = await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await Connection.open(gateway.port);
      connection.socket.pause();
      await connection.send(text);
      return connection;
    }),
  );
  let most = 0;
  await eventually(async () => {
    const usage = await gateway.usage();
    most = Math.max(most, usage.rss);
    return usage.connections === 0;
  });
  for (const connection of opened) connection.destroy();
  return (most - before) / MB;
}

it.each([
  { connections: 1, requests: 65, bound: 20 },
  { connections: 60, requests: 65, bound: 60 },
])(
  '$connections that ask $requests times and read nothing cost at most $bound MB',
  async ({ connections, requests, bound }) => {
    const gateway = await startGatewayProcess({ server: { slowClientMs: 1_000 } });
    for (const path of PATHS) {
      // The first round loads code once.
      await stall(gateway, path, 1, requests);
      const growth = await stall(gateway, path, connections, requests);
      process.stdout.write(`memory for ${connections} that do not read ${path}: ${Math.round(growth)} MB\n`);
      expect(growth).toBeLessThan(bound);
    }
  },
);
