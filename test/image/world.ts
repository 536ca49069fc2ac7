/** Servers for the containers of the service: the embedded servers and the mailbox of `npm start`, and the trials in containers. */
import { randomBytes } from 'node:crypto';
import { chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../src/config/index.ts';
import { WORKER_ROLES, type WorkerRole } from '../../src/domain/task-queues.ts';
import { startEmbeddedMailbox } from '../../src/processes/shared/embedded.ts';
import { keepEmbeddedServers } from '../../src/processes/whole-service/embedded-servers.ts';
import type { Mailbox } from '../../src/trial-parts/mailbox/mailbox.ts';
import { atEnd, closing } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { say } from '../support/script.ts';
import { newServiceSettings } from '../support/service-settings.ts';
import type { Container, Containers } from './containers.ts';

/** The image's user. */
const UID = 1000;

export interface World {
  config: Config;
  mailbox: Mailbox;
  /** For whatever the test needs besides. */
  directory: string;
  migrate(): Container;
  startGateway(): Promise<Process>;
  /** By role. */
  startWorkers(): Promise<Record<WorkerRole, Process>>;
}

export interface Process {
  container: Container;
  healthUrl: string;
}

/** On a shared machine, four Node processes start slowly. */
const START_TIMEOUT_MS = 300_000;

/** The images, by target. */
export interface Tags {
  service: string;
  trials: string;
}

export async function startWorld(containers: Containers, tags: Tags): Promise<World> {
  const { env, directory, remove } = await newServiceSettings({ LOG_LEVEL: 'info' });
  atEnd(remove);
  const config = loadConfig(env);
  const archive = join(directory, 'archive');
  await mkdir(archive);
  await chown(archive, UID, UID);
  const mailbox = await closing(startEmbeddedMailbox(config));
  await closing(keepEmbeddedServers(config, say));
  atEnd(() => containers.removeAll());
  await startTrials(containers, tags.trials, `${env.PORT_OFFSET}`, config);

  const service = {
    tag: tags.service,
    env: serviceEnvironment(config),
    volumes: { '/data/archive': archive },
  };
  return {
    config,
    mailbox,
    directory,
    migrate: () => containers.start('migrate', { ...service, command: ['node', 'src/processes/migrate.ts'] }),
    async startGateway() {
      const [port] = await freePorts(1);
      const env = { ...service.env, HEALTH_PORT: `${port}` };
      const container = containers.start('gateway', { ...service, env, healthcheck: true });
      return { container, healthUrl: `http://127.0.0.1:${port}/health/ready` };
    },
    async startWorkers() {
      const ports = await freePorts(WORKER_ROLES.length);
      const workers = WORKER_ROLES.map((role, index) => {
        const port = `${ports[index]}`;
        const container = containers.start(`worker-${role}`, {
          ...service,
          env: { ...service.env, WORKER_ROLES: role, HEALTH_PORT: port },
          command: ['node', 'src/processes/worker.ts'],
        });
        return [role, { container, healthUrl: `http://127.0.0.1:${port}/health/ready` }];
      });
      return Object.fromEntries(workers) as Record<WorkerRole, Process>;
    },
  };
}

/** Regulator simulator and identity service, whose data goes where nothing is kept. */
async function startTrials(
  containers: Containers,
  tag: string,
  portOffset: string,
  config: Config,
): Promise<void> {
  const env = { HOST: '127.0.0.1', DATA_DIR: '/tmp/data', PORT_OFFSET: portOffset };
  const simulator = containers.start('simulator', { tag, env });
  const program = ['node', 'src/processes/identity-service.ts'];
  const identityService = containers.start('identity-service', { tag, env, command: program });
  await untilAnswering(`${config.regulator.url}/control/cases`, simulator);
  await untilAnswering(`${config.auth.issuer}/.well-known/openid-configuration`, identityService);
}

function serviceEnvironment(config: Config): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: `${config.gateway.port}`,
    DATABASE_URL: config.database.url,
    TEMPORAL_ADDRESS: config.temporal.address,
    AUTH_ISSUER: config.auth.issuer,
    REGULATOR_URL: config.regulator.url,
    SMTP_URL: config.mail.url,
    STORAGE_URL: 'file:///data/archive',
    ENCRYPTION_SECRET: randomBytes(32).toString('base64'),
  };
}

/** @throws with what the container wrote, when it ends instead */
export async function untilAnswering(url: string, { exited, output }: Container): Promise<void> {
  const answers = eventually(
    () =>
      fetch(url).then(
        ({ ok }) => ok,
        () => false,
      ),
    START_TIMEOUT_MS,
  );
  const ended = exited.then((code) => {
    throw new Error(`the container of ${url} ended with ${code}: ${output()}`);
  });
  await Promise.race([answers, ended]);
}
