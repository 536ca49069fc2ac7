import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that was just killed may still hold its ports. */
const PATIENCE_MS = 15_000;

/** @throws an error that names each occupied port, and the part that needs it */
export async function requireFreePorts(wanted: readonly { part: string; port: number }[]): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const states = await Promise.all(wanted.map(async (one) => ({ ...one, free: await isFree(one.port) })));
    const taken = states.filter(({ free }) => !free);
    if (taken.length === 0) return;
    if (Date.now() > giveUpAt) {
      const list = taken.map(({ part, port }) => `${port} (${part})`).join(', ');
      throw new Error(
        `Ports are in use: ${list}. Is the service running already? PORT_OFFSET=10000 starts another one on other ports.`,
      );
    }
    await sleep(250);
  }
}

function isFree(port: number): Promise<boolean> {
  if (port === 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
