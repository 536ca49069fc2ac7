/** Which ports the stack needs on this machine, and where people find its pages. */
import type { Config } from '../../config/index.ts';
import { LOCALHOST } from '../../domain/loopback.ts';

export interface NeededPort {
  /** The variable that moves it. */
  variable: string;
  port: number;
}

export function portsOf(config: Config): NeededPort[] {
  const { gateway, worker, database, temporal, auth, regulator, mail } = config;
  const ports: [needed: boolean, variable: string, port: number][] = [
    [true, 'PORT', gateway.port],
    [worker.healthPort > 0, 'WORKER_HEALTH_PORT', worker.healthPort],
    [database.embedded, 'POSTGRES_PORT', database.port],
    [temporal.embedded, 'TEMPORAL_PORT', temporal.port],
    [temporal.embedded, 'TEMPORAL_UI_PORT', temporal.uiPort],
    [auth.embedded, 'IAM_PORT', auth.port],
    [regulator.embedded, 'REGULATOR_PORT', regulator.port],
    [mail.embedded, 'MAIL_PORT', mail.port],
    [mail.embedded, 'MAIL_UI_PORT', mail.uiPort],
  ];
  return ports.filter(([needed]) => needed).map(([, variable, port]) => ({ variable, port }));
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
