/** The containers of docker-compose.yml under a name, on ports and with passwords of the test's own. */
import { execFile } from 'node:child_process';
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { parse } from 'yaml';
import type { Compose } from '../deploy/support.ts';
import { freePorts } from '../support/free-ports.ts';
import { ROOT, readCommands, shell } from '../support/page-commands.ts';

const FILE = join(ROOT, 'docker-compose.yml');
/** Tag of our images: images with other tags stay unchanged. */
export const IMAGE_TAG = 'compose-test';
/** A port in docker-compose.yml, on this machine and in the container. */
const PUBLISHED = /^(?:127\.0\.0\.1|\$\{HOST:-127\.0\.0\.1\}):(?:\$\{PORT:-)?(\d+)\}?:(\d+)$/;

/** Time limit of the page's commands, which wait until all containers are healthy. */
const MAX_WAIT_SECONDS = 1200;

export interface ServiceState {
  Service: string;
  State: string;
  /** Empty without a health check. */
  Health: string;
  ExitCode: number;
  Publishers: { URL: string; PublishedPort: number }[] | null;
}

export interface PageOutput {
  stdout: string;
  /** HTTP status of the last answer to curl. */
  status: number;
}

export interface Stack {
  /** Ports on this machine, by service. */
  ports: Record<string, number>;
  /** Variables of `.env`. */
  secrets: NodeJS.Dict<string>;
  /**
   * Runs the command blocks of deploy/compose.md in a shell, one after the other.
   * @param more a command of the test's own behind them, with the page's addresses
   * @throws Error when one fails, with its last lines of output
   */
  page(blocks: readonly string[], more?: string): Promise<PageOutput>;
  /** @returns its output @throws Error when it fails, with its last lines of output */
  compose(args: readonly string[]): Promise<string>;
  /** States of all containers, ended ones included. */
  states(): Promise<ServiceState[]>;
  /** Names of the existing volumes. */
  volumes(): Promise<string[]>;
}

export interface StackOptions {
  /** Directory of `.env` and of the package; nothing is written into the checkout. */
  directory: string;
  /** Environment of the engine. */
  env: Record<string, string>;
  /** Additional Compose files, which override ours. */
  overrides?: readonly string[];
  /** Ends the page's commands, which may wait for a long time. */
  signal: AbortSignal;
}

export async function createStack({
  directory,
  overrides = [],
  signal,
  ...options
}: StackOptions): Promise<Stack> {
  const envFile = join(directory, '.env');
  const ownFile = join(directory, 'own.yml');
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    PATH,
    HOME,
    ...options.env,
    COMPOSE_FILE: [FILE, ownFile, ...overrides].join(':'),
    COMPOSE_ENV_FILES: envFile,
    COMPOSE_PROJECT_NAME: `package-import-test-${process.pid}`,
    // curl reads its options from this directory.
    CURL_HOME: directory,
  };
  await writeFile(join(directory, '.curlrc'), 'write-out = "%{stderr}%{http_code}\\n"\n');
  await promisify(execFile)('sh', [join(ROOT, 'deploy', 'compose-secrets.sh'), envFile]);
  const { services } = parse(await readFile(FILE, 'utf8'), { merge: true }) as Compose;
  const ports = await portsFor(services);
  await writeFile(ownFile, asOwn(services, ports));
  const issuer = `http://localhost:${ports.keycloak?.here}/realms/package-import`;
  await appendFile(envFile, `AUTH_ISSUER=${issuer}\n`);
  await cp(join(ROOT, 'examples', 'package.zip'), join(directory, 'package.zip'));
  const blocks = await readCommands('deploy/compose.md');

  /** Replaces the page's paths and default ports by those of the test. */
  const asHere = (command: string) =>
    Object.values(ports)
      .reduce((text, { usual, here }) => text.replaceAll(`localhost:${usual}`, `localhost:${here}`), command)
      .replaceAll('sh deploy/compose-secrets.sh', `sh ${ROOT}deploy/compose-secrets.sh ${envFile}`);

  async function run(script: string, ended?: AbortSignal): Promise<{ stdout: string; stderr: string }> {
    const within = `timeout ${MAX_WAIT_SECONDS} bash -euo pipefail -c "$SCRIPT"`;
    const { code, stdout, stderr } = await shell(
      within,
      { ...env, SCRIPT: script },
      { cwd: directory, ...(ended && { signal: ended }) },
    );
    const end = (text: string) => text.trim().split('\n').slice(-8).join('\n');
    if (code !== 0) throw new Error(`ended with ${code}: ${end(stdout)}\n${end(stderr)}`);
    return { stdout, stderr };
  }

  const docker = async (args: readonly string[]) =>
    (await run(['docker', ...args].map((word) => `'${word}'`).join(' '))).stdout;
  const compose = (args: readonly string[]) => docker(['compose', ...args]);
  return {
    ports: Object.fromEntries(Object.entries(ports).map(([name, { here }]) => [name, here])),
    secrets: parseEnv(await readFile(envFile, 'utf8')),
    async page(names, more = '') {
      const commands = names.map((name) => {
        const block = blocks.get(name);
        if (block === undefined) throw new Error(`deploy/compose.md has no block ${name}`);
        return block;
      });
      const { stdout, stderr } = await run(asHere([...commands, more].join('\n')), signal);
      return { stdout, status: Number(stderr.match(/^\d{3}$/gm)?.at(-1)) };
    },
    compose,
    async states() {
      const printed = await compose(['--profile', 'observability', 'ps', '--all', '--format', 'json']);
      return linesOf(printed).map((line) => JSON.parse(line) as ServiceState);
    },
    async volumes() {
      const filter = `label=com.docker.compose.project=${env.COMPOSE_PROJECT_NAME}`;
      return linesOf(await docker(['volume', 'ls', '--quiet', '--filter', filter]));
    },
  };
}

type Ports = Record<string, { usual: string; here: number; inside: string }>;

async function portsFor(services: Compose['services']): Promise<Ports> {
  const published = Object.entries(services).flatMap(([name, service]) => {
    const [port] = service.ports ?? [];
    const [, usual, inside] = PUBLISHED.exec(port ?? '') ?? [];
    return usual && inside ? [{ name, usual, inside }] : [];
  });
  const free = await freePorts(published.length);
  return Object.fromEntries(
    published.map(({ name, ...port }, index) => [name, { ...port, here: free[index] ?? 0 }]),
  );
}

/** A Compose file that publishes the services on these ports, from images with the test's tag. */
function asOwn(services: Compose['services'], ports: Ports): string {
  const lines = Object.entries(services).map(([name, { image, build }]) => {
    const port = ports[name];
    const own = {
      ...(build && { image: image.replace(/:dev$/, `:${IMAGE_TAG}`) }),
      ...(name === 'keycloak' && { environment: { KC_HOSTNAME: `http://localhost:${port?.here}` } }),
    };
    // Without the tag, Compose would publish the usual ports as well.
    const published = port ? `\n    ports: !override ["127.0.0.1:${port.here}:${port.inside}"]` : '';
    const others = Object.entries(own).map(([key, value]) => `\n    ${key}: ${JSON.stringify(value)}`);
    return `  ${name}:${published}${others.join('')}${published || others.length > 0 ? '' : ' {}'}`;
  });
  return `services:\n${lines.join('\n')}\n`;
}

const linesOf = (text: string) => text.split('\n').filter(Boolean);
