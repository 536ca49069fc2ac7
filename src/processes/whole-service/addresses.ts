/** The ports that the whole service needs on this machine, and the addresses of its pages. */

import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCALHOST } from '../../common/loopback.ts';
import type { Config } from '../../config/index.ts';

interface NeededPort {
  part: string;
  port: number;
}

/** The port after that of the gateway. 0 for none. */
export function workerHealthPortOf({ healthPort }: Config): number {
  return healthPort === 0 ? 0 : healthPort + 1;
}

function portsOf(config: Config): NeededPort[] {
  const { gateway, healthPort, database, temporal, auth, regulator, mail } = config;
  const ports: [needed: boolean, part: string, port: number][] = [
    [true, 'gateway, PORT', gateway.port],
    [healthPort > 0, 'health of the gateway, HEALTH_PORT', healthPort],
    [healthPort > 0, 'health of the worker, HEALTH_PORT + 1', workerHealthPortOf(config)],
    [database.embedded, 'PostgreSQL', database.port],
    [temporal.embedded, 'Temporal', temporal.port],
    [temporal.embedded, 'Temporal Web UI', temporal.uiPort],
    [auth.embedded, 'identity service', auth.port],
    [regulator.embedded, 'regulator simulator', regulator.port],
    [mail.embedded, 'mailbox', mail.port],
    [mail.embedded, 'web pages of the mailbox', mail.uiPort],
  ];
  return ports.filter(([needed]) => needed).map(([, part, port]) => ({ part, port }));
}

export interface Address {
  title: string;
  url: string;
}

export function gatewayUrlOf({ gateway }: Config): string {
  return `http://${gateway.host}:${gateway.port}${gateway.basePath}`;
}

export function addressesOf(config: Config): Address[] {
  const { auth, temporal, mail, regulator } = config;
  const addresses: [present: boolean, title: string, url: string][] = [
    [true, 'Web page', `${gatewayUrlOf(config)}/app/`],
    [true, 'Gateway', gatewayUrlOf(config)],
    [true, 'API documentation', `${gatewayUrlOf(config)}/api/doc`],
    [auth.embedded, 'Identity service', `${auth.issuer}/api/doc`],
    [temporal.embedded, 'Temporal Web UI', `http://${LOCALHOST}:${temporal.uiPort}`],
    [mail.embedded, 'Mailbox', `http://${LOCALHOST}:${mail.uiPort}`],
    [regulator.embedded, 'Regulator simulator', regulator.url],
  ];
  return addresses.filter(([present]) => present).map(([, title, url]) => ({ title, url }));
}

/** A process that was just killed may still hold its ports. */
const PATIENCE_MS = 15_000;

/** @throws an error that names each occupied port, and the part that needs it */
export async function requireFreePorts(config: Config): Promise<void> {
  const wanted = portsOf(config);
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    const states = await Promise.all(wanted.map(async (one) => ({ ...one, free: await isFree(one.port) })));
    const taken = states.filter(({ free }) => !free);
    if (taken.length === 0) return;
    if (Date.now() > giveUpAt) {
      const list = taken.map(({ part, port }) => `${port} (${part})`).join(', ');
      throw new Error(
        `Ports are in use: ${list}. The service may already be running. To start another one on other ports, set PORT_OFFSET=10000.`,
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
