/** docker-compose.yml against the configuration, and against themselves (issue 3, point 10). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { TARGETS } from '../../tools/image/build.ts';
import { exists, readText, readYaml, scriptsIn, unknownVariables } from './support.ts';

type Condition = 'service_started' | 'service_healthy' | 'service_completed_successfully';

interface Service {
  image: string;
  build?: { dockerfile: string; target: string };
  command?: string[];
  environment?: Record<string, string | number | null>;
  volumes?: string[];
  ports?: string[];
  configs?: { source: string; target: string }[];
  depends_on?: Record<string, { condition: Condition }>;
  healthcheck?: { disable?: boolean; test?: string[] };
  stop_grace_period?: string;
  read_only?: boolean;
}

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  configs: Record<string, { content: string }>;
}

const [compose = { services: {}, volumes: {}, configs: {} }] = await readYaml<Compose>('docker-compose.yml');
const services = Object.entries(compose.services);
/** One for each role. */
const WORKERS = ['worker-package-import', 'worker-package-reading', 'worker-regulator-insert'];
const ours = services.filter(([, { image }]) => /^package-import(?:-trials)?:/.test(image));

/** `${NAME:-default}`, also within a default, as Compose does it where nothing is set. */
function withDefaults(text: string): string {
  const replaced = text.replace(
    /\$\{(\w+)(?::-((?:[^${}]|\$(?!\{))*))?\}/g,
    (_all, _name, value = '') => value,
  );
  return replaced === text ? text : withDefaults(replaced);
}

/** What a container finds in its environment where nothing is set. */
function environmentOf({ environment = {} }: Service): Record<string, string> {
  const given = Object.entries(environment).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, withDefaults(`${value}`)]));
}

describe('docker-compose.yml', () => {
  it('has every part as a container of its own', () => {
    expect(ours.map(([name]) => name).sort()).toEqual([
      'gateway',
      'migrate',
      'regulator-simulator',
      ...WORKERS,
    ]);
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining(['postgres', 'temporal', 'temporal-ui', 'mailpit', 'keycloak']),
    );
  });

  it('runs the service from its image, and the trials from theirs', () => {
    for (const [name, { image, build }] of ours) {
      const target = name === 'regulator-simulator' ? 'trials' : 'service';
      expect([name, build]).toEqual([name, { context: '.', dockerfile: 'deploy/Dockerfile', target }]);
      expect([name, image.startsWith(`${TARGETS[target].repository}:`)]).toEqual([name, true]);
    }
  });

  it.each(ours)(
    'gives %s only variables that exist, with values that the configuration takes',
    (_, service) => {
      expect(unknownVariables(Object.keys(service.environment ?? {}))).toEqual([]);
      expect(() => loadConfig(environmentOf(service))).not.toThrow();
    },
  );

  it.each(ours)('starts %s on the address of the image, by an explicit permission only', (_, service) => {
    const environment = { ...environmentOf(service), HOST: '0.0.0.0' };
    if (service.command?.includes('src/bin/regulator-simulator.ts')) return;
    expect(() => loadConfig(environment)).not.toThrow();
    for (const permission of ['ALLOW_DEMO_PARTS', 'ALLOW_INSECURE_HTTP'])
      expect(environment[permission as keyof typeof environment]).toBe('true');
    expect(() => loadConfig({ ...environment, ALLOW_DEMO_PARTS: 'false' })).toThrow(/DATABASE_URL/);
  });

  it('gives every process its part, and nothing embedded', () => {
    const configOf = (name: string) => loadConfig(environmentOf(compose.services[name] as Service));
    expect(configOf('worker-package-import').worker.roles).toEqual(['package-import']);
    expect(configOf('worker-package-reading').worker.roles).toEqual(['package-reading']);
    expect(configOf('worker-regulator-insert').worker.roles).toEqual(['regulator-insert']);
    expect(configOf('gateway').auth.embedded).toBe(false);
    expect(configOf('worker-package-import').mail.embedded).toBe(false);
    for (const name of ['gateway', ...WORKERS]) {
      const { database, temporal, regulator, archive, encryptionSecret } = configOf(name);
      expect([database.embedded, temporal.embedded, regulator.embedded]).toEqual([false, false, false]);
      expect(archive.url).toBe('file:///data/archive');
      expect(encryptionSecret).toBe(configOf('gateway').encryptionSecret);
    }
    expect(configOf('migrate').database).toEqual(configOf('gateway').database);
  });

  it('asks for no variable that .env.example does not explain', async () => {
    const example = await readText('.env.example');
    const text = (await readText('docker-compose.yml')).replaceAll(/^\s*#.*$/gm, '');
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''));
    expect(asked.size).toBeGreaterThan(30);
    expect([...asked].filter((name) => !new RegExp(`^#?${name}=`, 'm').test(example))).toEqual([]);
  });

  it('names hosts that are services, at ports that they have', () => {
    const containerPorts = (service: Service) =>
      (service.ports ?? []).map((port) => Number(port.split(':').at(-1)));
    const addresses = ours.flatMap(([, service]) =>
      Object.values(environmentOf(service)).flatMap((value) =>
        [...value.matchAll(/(?:\/\/|@|^)([a-z][a-z-]+):(\d+)/g)].map(([, host = '', port]) => ({
          host,
          port: Number(port),
        })),
      ),
    );
    const others = addresses.filter(({ host }) => host !== 'localhost');
    expect(new Set(others.map(({ host }) => host))).toEqual(
      new Set(['postgres', 'temporal', 'regulator-simulator', 'keycloak', 'mailpit']),
    );
    for (const { host, port } of others) {
      // Mailpit's SMTP port is for containers only.
      const ports = host === 'mailpit' ? [1025] : containerPorts(compose.services[host] as Service);
      expect([host, ports]).toEqual([host, expect.arrayContaining([port])]);
    }
  });

  it.each(services)('%s depends on, mounts and reads only what there is', async (_, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const other = compose.services[name];
      expect(other).toBeDefined();
      // The check of the image is the gateway's.
      const hasCheck = other?.healthcheck ? !other.healthcheck.disable : name === 'gateway';
      if (condition === 'service_healthy') expect([name, hasCheck]).toEqual([name, true]);
    }
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) expect([source, await exists(source)]).toEqual([source, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    for (const { source } of service.configs ?? []) expect(Object.keys(compose.configs)).toContain(source);
    for (const script of service.build ? scriptsIn(service.command ?? []) : [])
      expect([script, await exists(script)]).toEqual([script, true]);
  });

  it.each(ours)('asks %s for its health where it serves it', (name, service) => {
    const { test = [], disable } = service.healthcheck ?? {};
    const asked = /fetch\('http:\/\/127\.0\.0\.1:(\d+)(\/[\w/]+)'\)/.exec(test.join(' '));
    const { WORKER_HEALTH_PORT, REGULATOR_PORT } = environmentOf(service);
    if (name === 'migrate') expect(disable).toBe(true);
    else if (name === 'gateway') expect(service.healthcheck).toBeUndefined();
    else if (name === 'regulator-simulator')
      expect(asked?.slice(1)).toEqual([REGULATOR_PORT, '/control/cases']);
    else expect(asked?.slice(1)).toEqual([WORKER_HEALTH_PORT, '/health/ready']);
  });

  it('gives processes longer to end than they take', () => {
    for (const name of ['gateway', ...WORKERS]) {
      const service = compose.services[name] as Service;
      const { shutdownGraceMs } = loadConfig(environmentOf(service));
      const seconds = Number.parseInt(service.stop_grace_period ?? '0', 10);
      expect([name, seconds * 1000 >= shutdownGraceMs + 10_000]).toEqual([name, true]);
    }
  });

  it('lets no process of ours write outside of its volumes', () => {
    expect(ours.filter(([, { read_only }]) => read_only !== true)).toEqual([]);
  });

  it('has metrics where prometheus.yml looks for them', async () => {
    const [prometheus] = await readYaml<{
      scrape_configs: { static_configs: { targets: string[] }[] }[];
    }>('deploy/prometheus/prometheus.yml');
    const targets = (prometheus?.scrape_configs ?? []).flatMap(({ static_configs }) =>
      static_configs.flatMap((one) => one.targets),
    );
    expect(targets.length).toBeGreaterThan(2);
    for (const target of targets) {
      const [host = '', port] = target.split(':');
      const { PORT = '8080', WORKER_HEALTH_PORT } = environmentOf(compose.services[host] as Service);
      expect([host, port]).toEqual([host, host === 'gateway' ? PORT : WORKER_HEALTH_PORT]);
    }
  });
});

const docker = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const hasCompose = await docker('docker', ['compose', 'version']).then(
  ({ stdout }) => stdout.includes('Compose'),
  () => false,
);

describe.skipIf(!hasCompose)('docker compose (skipped without Docker Compose)', () => {
  it('takes the file', async () => {
    const { stdout } = await docker('docker', ['compose', 'config', '--quiet'], { cwd: root });
    expect(stdout).toBe('');
  });
});
