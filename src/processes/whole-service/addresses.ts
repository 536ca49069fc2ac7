/** The ports that the whole service needs on this machine, and the addresses of its pages. */

import { LOCALHOST } from '../../common/loopback.ts';
import type { Config } from '../../config/index.ts';

export interface NeededPort {
  part: string;
  port: number;
}

export function portsOf(config: Config): NeededPort[] {
  const { gateway, worker, database, temporal, auth, regulator, mail } = config;
  const ports: [needed: boolean, part: string, port: number][] = [
    [true, 'gateway, PORT', gateway.port],
    [worker.healthPort > 0, 'WORKER_HEALTH_PORT', worker.healthPort],
    [database.embedded, 'PostgreSQL', database.port],
    [temporal.embedded, 'Temporal', temporal.port],
    [temporal.embedded, 'Temporal Web UI', temporal.uiPort],
    [auth.embedded, 'identity service', auth.port],
    [regulator.embedded, 'regulator simulator', regulator.port],
    [mail.embedded, 'mailbox', mail.port],
    [mail.embedded, 'pages of the mailbox', mail.uiPort],
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
