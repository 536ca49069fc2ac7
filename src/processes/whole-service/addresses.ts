/** The ports that the whole service needs on this machine, and the addresses of its pages. */
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOCALHOST } from '../../common/network.ts';
import type { Config } from '../../config/index.ts';
import { OPERATOR } from '../../trial-parts/identity-service/people.ts';

/** The port after that of the gateway. 0 for none. */
export function workerHealthPortOf({ healthPort }: Config): number {
  return healthPort === 0 ? 0 : healthPort + 1;
}

function portsOf(config: Config): { part: string; port: number }[] {
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
  /** For people. */
  note: string;
}

export function gatewayUrlOf({ gateway }: Config): string {
  return `http://${gateway.host}:${gateway.port}${gateway.basePath}`;
}

export function addressesOf(config: Config): Address[] {
  const { auth, temporal, mail, regulator } = config;
  const login = auth.embedded ? `log in as ${OPERATOR.username}, password ${OPERATOR.password}` : '';
  const addresses: [present: boolean, title: string, url: string, note?: string][] = [
    [true, 'Web page', `${gatewayUrlOf(config)}/app/`, login],
    [true, 'Gateway', gatewayUrlOf(config)],
    [true, 'API documentation', `${gatewayUrlOf(config)}/api/doc`],
    [auth.embedded, 'Identity service', `${auth.issuer}/api/doc`],
    [temporal.embedded, 'Temporal Web UI', `http://${LOCALHOST}:${temporal.uiPort}`],
    [mail.embedded, 'Mailbox', `http://${LOCALHOST}:${mail.uiPort}`],
    [regulator.embedded, 'Regulator simulator', regulator.url],
  ];
  return addresses.filter(([present]) => present).map(([, title, url, note = '']) => ({ title, url, note }));
}

/** A process that was just killed may still hold its ports. */
const MAX_WAIT_MS = 15_000;

/** @throws an error that names each occupied port, and the part that needs it */
export async function requireFreePorts(
  config: Config,
  progress: (line: string) => void,
  interrupted: AbortSignal,
): Promise<void> {
  const wanted = portsOf(config);
  const startedAt = Date.now();
  for (let isFirst = true; ; isFirst = false) {
    const states = await Promise.all(wanted.map(async (one) => ({ ...one, free: await isFree(one.port) })));
    const taken = states.filter(({ free }) => !free);
    if (taken.length === 0) return;
    const list = taken.map(({ part, port }) => `${port} (${part})`).join(', ');
    if (Date.now() > startedAt + MAX_WAIT_MS) {
      throw new Error(
        `Ports are in use: ${list}. Stop the service that may already be running, or set PORT_OFFSET=10000 to start another one on other ports.`,
      );
    }
    if (isFirst) progress(`Waiting for ports in use, at most ${MAX_WAIT_MS / 1000} s: ${list} …`);
    await sleep(250, undefined, { signal: interrupted });
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
