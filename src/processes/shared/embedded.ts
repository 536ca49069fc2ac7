/** Embedded parts for `npm start`, docker-compose and tests. Each replaces a system that is not configured. */
import { join } from 'node:path';
import { LOCALHOST } from '../../common/network.ts';
import type { Config } from '../../config/index.ts';
import { listen } from '../../http/server.ts';
import {
  CLIENT_WITHOUT_PERMISSION,
  createIdentityService,
  DEMO_CLIENT,
  keyClient,
  loadPrivateKey,
  OTHER_COMPANY,
} from '../../trial-parts/identity-service/identity-service.ts';
import { type Mailbox, startMailbox } from '../../trial-parts/mailbox/mailbox.ts';
import {
  type RunningSimulator,
  startRegulatorSimulator,
} from '../../trial-parts/regulator-simulator/simulator.ts';
import type { RunningPart } from './program.ts';

export function startEmbeddedMailbox({ mail, dataDir }: Config): Promise<Mailbox> {
  const directory = join(dataDir, 'mailbox');
  return startMailbox({ host: LOCALHOST, smtpPort: mail.port, pagesPort: mail.uiPort, directory });
}

/** @param host other than localhost in a container */
export async function startEmbeddedIdentityService(
  { auth, gateway, dataDir }: Config,
  host = LOCALHOST,
): Promise<RunningPart> {
  const { issuer, audience, port } = auth;
  const signingKey = await loadPrivateKey(join(dataDir, 'identity-service-key.json'));
  const clientKey = await loadPrivateKey(join(dataDir, 'demo-client-key.json'));
  const clients = [DEMO_CLIENT, keyClient(clientKey), CLIENT_WITHOUT_PERMISSION, OTHER_COMPANY];
  // The page of the gateway on this machine.
  const urls = [LOCALHOST, 'localhost'].map(
    (name) => `http://${name}:${gateway.port}${gateway.basePath}/app/`,
  );
  const { clientId } = auth.app;
  const app = createIdentityService({ issuer, audience, clients, signingKey, app: { clientId, urls } });
  const server = await listen(app, { host, port });
  return { close: () => server.close(500) };
}

/** @param host other than localhost in a container */
export function startEmbeddedRegulator(
  { regulator, mail, dataDir }: Config,
  host = LOCALHOST,
): Promise<RunningSimulator> {
  const { port, username, password } = regulator;
  const journal = join(dataDir, 'regulator-simulator.jsonl');
  return startRegulatorSimulator({ host, port, username, password, journal, smtpUrl: mail.url });
}
