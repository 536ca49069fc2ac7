/** docker-compose.yml against the configuration, and against themselves (issue 3, point 10). */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CONFIG_VARIABLES, loadConfig } from '../../src/config/index.ts';
import { DYNAMIC_CONFIG } from '../../src/trial-parts/servers/temporal.ts';
import { REPOSITORIES } from '../support/images.ts';
import {
  type Compose,
  environmentIn,
  exists,
  interpolated,
  madeSecrets,
  programOf,
  readText,
  readYaml,
  type Service,
  scriptsIn,
  secretsFile,
  unknownVariables,
} from './support.ts';

const [compose = { services: {}, volumes: {}, configs: {} }] = await readYaml<Compose>('docker-compose.yml');
const services = Object.entries(compose.services);
const secrets = await madeSecrets();
/** Containers have these in another way: addresses of the image, ports of embedded parts, folders. */
const OF_NPM_START = new Set(['HOST', 'PORT', 'PORT_OFFSET', 'DATA_DIR']);
/** One for each role. */
const WORKERS = ['worker-package-import', 'worker-package-reading', 'worker-regulator-insert'];
const ours = services.filter(([, { image }]) => /^package-import(?:-trials)?:/.test(image));

/** The environment of a container when only the generated passwords are set. */
const environmentOf = (service: Service) => environmentIn(service, secrets);
/** Its configuration in the image, where every process listens on all addresses. */
const configIn = (service: Service, environment = environmentOf(service)) =>
  loadConfig({ ...environment, HOST: '0.0.0.0' }, '/app', programOf(service.command));

describe('docker-compose.yml', () => {
  it('has a container for every part', () => {
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

  it('runs the service from its image, and the trial parts from theirs', () => {
    for (const [name, { image, build }] of ours) {
      const target = name === 'regulator-simulator' ? 'trials' : 'service';
      expect([name, build]).toEqual([name, { context: '.', dockerfile: 'deploy/Dockerfile', target }]);
      expect([name, image.startsWith(`${REPOSITORIES[target]}:`)]).toEqual([name, true]);
    }
  });

  it.each(ours)('gives %s only existing variables with valid values', (_, service) => {
    expect(unknownVariables(Object.keys(service.environment ?? {}))).toEqual([]);
    expect(() => configIn(service)).not.toThrow();
  });

  it.each(ours)('starts %s with passwords of its own only', (_, service) => {
    if (programOf(service.command) === 'trial part') return;
    expect(environmentOf(service)).toMatchObject({ ALLOW_DEMO_PARTS: 'false', ALLOW_INSECURE: 'true' });
    const password = 'change-me-change-me';
    const known = { ...secrets, COMPOSE_PASSWORD: password, COMPOSE_SERVICE_PASSWORD: password };
    expect(() => configIn(service, environmentIn(service, known))).toThrow(/DATABASE_URL/);
  });

  it('gives each process every variable that it reads', () => {
    const given = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)));
    expect(CONFIG_VARIABLES.filter((name) => !given.has(name) && !OF_NPM_START.has(name))).toEqual([]);
    const standard = ['AWS_SESSION_TOKEN', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'];
    for (const name of ['gateway', ...WORKERS])
      expect(Object.keys(compose.services[name]?.environment ?? {})).toEqual(
        expect.arrayContaining(standard),
      );
  });

  it('gives every process its role, and nothing embedded', () => {
    const configOf = (name: string) => configIn(compose.services[name] as Service);
    expect(configOf('worker-package-import').worker.roles).toEqual(['package-import']);
    expect(configOf('worker-package-reading').worker.roles).toEqual(['package-reading']);
    expect(configOf('worker-regulator-insert').worker.roles).toEqual(['regulator-insert']);
    expect(configOf('gateway').auth.embedded).toBe(false);
    expect(configOf('worker-package-import').mail.embedded).toBe(false);
    for (const name of ['gateway', ...WORKERS]) {
      const { database, temporal, regulator, archive, encryptionSecrets } = configOf(name);
      const isReading = name === 'worker-package-reading';
      expect([database.embedded, temporal.embedded, regulator.embedded]).toEqual([false, false, isReading]);
      expect(archive.url).toBe('file:///data/archive');
      expect(encryptionSecrets).toEqual(isReading ? null : [secrets.COMPOSE_ENCRYPTION_SECRET]);
      expect(new URL(database.url).username).toBe('package_import_service');
    }
    expect(new URL(configOf('migrate').database.url).username).toBe('package_import');
  });

  it('gives each process that calls the regulator the same rate', () => {
    const ratesOf = (name: string) => {
      const service = compose.services[name] as Service;
      const environment = environmentIn(service, { ...secrets, REGULATOR_RATE_PER_SECOND: '2' });
      return configIn(service, environment).regulator.ratePerSecond;
    };
    expect(['gateway', 'worker-package-import', 'worker-regulator-insert'].map(ratesOf)).toEqual([2, 2, 2]);
  });

  it('gives each container only the passwords that it needs, of those that are generated', () => {
    const passwords = Object.keys(secrets).sort();
    const given = services.map(([name, service]) => {
      const values = Object.values(environmentOf(service)).join('\n');
      return [name, passwords.filter((secret) => values.includes(secrets[secret] ?? ''))];
    });
    const ofRegulator = ['COMPOSE_ENCRYPTION_SECRET', 'COMPOSE_SERVICE_PASSWORD', 'TRIAL_PASSWORD'];
    expect(Object.fromEntries(given.filter(([, names]) => names?.length))).toEqual({
      migrate: ['COMPOSE_PASSWORD'],
      gateway: ofRegulator,
      'worker-package-import': ofRegulator,
      'worker-package-reading': ['COMPOSE_SERVICE_PASSWORD'],
      'worker-regulator-insert': ofRegulator,
      'regulator-simulator': ['TRIAL_PASSWORD'],
      postgres: ['COMPOSE_PASSWORD'],
      'temporal-schema': ['COMPOSE_TEMPORAL_PASSWORD'],
      temporal: ['COMPOSE_TEMPORAL_PASSWORD'],
      keycloak: ['COMPOSE_PASSWORD', 'TRIAL_PASSWORD'],
      grafana: ['COMPOSE_PASSWORD'],
    });
  });

  it('gives the worker that reads files of strangers no variable of the regulator, of mails and of webhooks', () => {
    const names = Object.keys(compose.services['worker-package-reading']?.environment ?? {});
    expect(
      names.filter((name) => /^(?:REGULATOR|ENCRYPTION|SMTP|MAIL|WEBHOOK|AUTH|PUBLIC)_/.test(name)),
    ).toEqual([]);
    const inserts = Object.keys(compose.services['worker-regulator-insert']?.environment ?? {});
    expect(inserts.filter((name) => /^(?:SMTP|MAIL|WEBHOOK|AUTH|PUBLIC)_/.test(name))).toEqual([]);
  });

  it('creates an owner of the tables, a role for the processes, and a user for Temporal', async () => {
    const { databases } = compose.configs;
    const statements = interpolated(databases?.content ?? '', secrets);
    expect(statements).toContain(`create role package_import login password '${secrets.COMPOSE_PASSWORD}'`);
    expect(statements).toContain(
      `create role temporal login password '${secrets.COMPOSE_TEMPORAL_PASSWORD}'`,
    );
    expect(statements).toContain(
      `alter role package_import_service password '${secrets.COMPOSE_SERVICE_PASSWORD}'`,
    );
    const [, included = ''] = /^\\include (\S+)$/m.exec(statements) ?? [];
    const mount = compose.services.postgres?.volumes?.find((volume) => volume.includes(`:${included}:`));
    expect(mount?.split(':')[0]).toBe('./deploy/database-roles.sql');
    expect(statements.indexOf('\\connect package_import')).toBeLessThan(statements.indexOf('\\include'));
  });

  it('opens only the load balancer to other machines, with HOST', () => {
    const opened = services.flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, interpolated(port, { HOST: '0.0.0.0' })] as const),
    );
    expect(opened.length).toBeGreaterThan(8);
    expect(opened.filter(([, port]) => !port.startsWith('127.0.0.1:'))).toEqual([
      ['edge', '0.0.0.0:8080:8080'],
    ]);
  });

  it('requires only variables that .env.example or deploy/compose-secrets.sh explains', async () => {
    const explained = (await readText('.env.example')) + (await readText('deploy/compose-secrets.sh'));
    const text = (await readText('docker-compose.yml')).replaceAll(/^\s*#.*$/gm, '');
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''));
    expect(asked.size).toBeGreaterThan(30);
    const unexplained = [...asked].filter(
      (name) => !new RegExp(`^#(?:${name}=|   ${name} )`, 'm').test(explained),
    );
    expect(unknownVariables(unexplained)).toEqual([]);
  });

  it('names services as hosts, at ports that they have', () => {
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

  it.each(services)('%s depends on, mounts and reads only existing things', async (_, service) => {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      const other = compose.services[name];
      expect(other).toBeDefined();
      // The image has a check for gateways and workers.
      const hasCheck = other?.healthcheck
        ? !other.healthcheck.disable
        : ['gateway', ...WORKERS].includes(name);
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

  it.each(ours)('checks the health of %s at the address that serves it', async (name, service) => {
    const { test = [], disable } = service.healthcheck ?? {};
    const asked = /fetch\('http:\/\/127\.0\.0\.1:(\d+)(\/[\w/]+)'\)/.exec(test.join(' '));
    if (name === 'migrate') return expect(disable).toBe(true);
    if (name === 'regulator-simulator') return expect(asked?.slice(1)).toEqual(['8082', '/control/cases']);
    // That of the image.
    expect(service.healthcheck).toBeUndefined();
    const dockerfile = await readText('deploy/Dockerfile');
    expect(dockerfile).toContain(`ENV HEALTH_PORT=${configIn(service).healthPort}\n`);
  });

  it('stops processes later than they need to end', () => {
    for (const name of ['gateway', ...WORKERS]) {
      const service = compose.services[name] as Service;
      const { shutdownGraceMs, gateway } = loadConfig(environmentOf(service));
      const neededMs = name === 'gateway' ? gateway.uploadGraceMs : shutdownGraceMs;
      const seconds = Number.parseInt(service.stop_grace_period ?? '0', 10);
      expect([name, seconds * 1000 >= neededMs + 10_000]).toEqual([name, true]);
    }
  });

  it('lets the processes of the service write only to their volumes', () => {
    expect(ours.filter(([, { read_only }]) => read_only !== true)).toEqual([]);
  });

  it('has metrics where prometheus.yml scrapes them, in every container of a name', async () => {
    const [prometheus] = await readYaml<{
      scrape_configs: { dns_sd_configs: { names: string[]; type: string; port: number }[] }[];
    }>('deploy/prometheus/prometheus.yml');
    const found = (prometheus?.scrape_configs ?? []).flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(found.flatMap(({ names }) => names).sort()).toEqual(['gateway', ...WORKERS]);
    for (const { names, type, port } of found) {
      expect(type).toBe('A');
      for (const name of names) {
        expect([name, port]).toEqual([name, configIn(compose.services[name] as Service).healthPort]);
      }
    }
  });

  it('creates the namespace with the tools of the server release, after its schema', () => {
    const { temporal, ...others } = compose.services;
    const tag = (name: string) => others[name]?.image.split(':').slice(1).join(':');
    expect(tag('temporal-schema')).toBe(temporal?.image.split(':').slice(1).join(':'));
    expect(tag('temporal-namespace')).toBe(tag('temporal-schema'));
    expect(temporal?.depends_on?.['temporal-schema']?.condition).toBe('service_completed_successfully');
    for (const name of ['gateway', ...WORKERS])
      expect(others[name]?.depends_on?.['temporal-namespace']?.condition).toBe(
        'service_completed_successfully',
      );
  });

  it('gives Temporal the dynamic configuration of `npm start`', async () => {
    const { file = '' } = compose.configs.temporal ?? {};
    const values = Object.entries(DYNAMIC_CONFIG).map(([name, value]) => [name, [{ value }]]);
    expect(parse(await readText(file))).toEqual(Object.fromEntries(values));
  });

  it('starts metrics only on request, with the dashboard of the repository', async () => {
    const observing = services.filter(([, { profiles }]) => profiles?.includes('observability'));
    expect(observing.map(([name]) => name).sort()).toEqual(['grafana', 'prometheus']);
    const { volumes = [], environment = {} } = compose.services.grafana as Service;
    const folder = volumes.find((volume) => volume.startsWith('./deploy/grafana:'))?.split(':')[1] ?? '';
    const home = String(environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH);
    expect(await exists(home.replace(folder, 'deploy/grafana'))).toBe(true);
    const { datasources } = parse(compose.configs['grafana-data']?.content ?? '') as {
      datasources: { url: string }[];
    };
    expect(datasources.map(({ url }) => url)).toEqual(['http://prometheus:9090']);
  });
});

describe('passwords', () => {
  it('are created once each, are not changed, and keep earlier settings', async () => {
    const first = await madeSecrets('REGULATOR_PASSWORD=mine\nLOG_LEVEL=debug');
    expect(first).toMatchObject({ REGULATOR_PASSWORD: 'mine', LOG_LEVEL: 'debug' });
    const lines = Object.entries(first).map(([name, value]) => `${name}=${value}\n`);
    expect(await madeSecrets(lines.join(''))).toEqual(first);
    expect(new Set(Object.values(first)).size).toBe(Object.keys(first).length);
    const made = Object.keys(secrets);
    for (const name of made) expect(secrets[name]).toMatch(/^[0-9a-f]{48}$/);
    const text = await readText('docker-compose.yml');
    const demanded = [...text.matchAll(/\$\{(\w+):\?run deploy\/compose-secrets\.sh\}/g)].map(
      ([, name]) => name,
    );
    expect([...new Set(demanded)].sort()).toEqual(made.sort());
  });

  it('can be read by nobody else, even if the file was there before', async () => {
    const { mode } = await stat(await secretsFile('LOG_LEVEL=debug\n'));
    expect(mode & 0o777).toBe(0o600);
  });

  it('are in no published file', async () => {
    const published =
      /demo-secret|demo-password|for-development-only|no-permission-secret|other-company-secret/;
    for (const file of ['docker-compose.yml', 'deploy/keycloak/realm.json', 'deploy/compose.md'])
      expect([file, published.exec(await readText(file))?.[0]]).toEqual([file, undefined]);
    const realm = JSON.parse(await readText('deploy/keycloak/realm.json')) as {
      clients: { secret?: string }[];
      users: { credentials?: { value: string }[] }[];
    };
    const variables = realm.clients.flatMap(({ secret }) => secret ?? []);
    expect(variables).toHaveLength(3);
    const people = realm.users.flatMap(({ credentials = [] }) => credentials.map(({ value }) => value));
    expect(people).toHaveLength(2);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form of the realm's file.
    expect(new Set([...variables, ...people])).toEqual(new Set(['${TRIAL_PASSWORD}']));
    expect(Object.keys(compose.services.keycloak?.environment ?? {})).toContain('TRIAL_PASSWORD');
  });
});

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
/** A plugin of Docker, or the standalone program. */
const COMMANDS = [['docker', 'compose'], ['docker-compose']] as const;
const working = await Promise.all(
  COMMANDS.map(([command, ...words]) =>
    run(command, [...words, 'version']).then(
      ({ stdout }) => stdout.includes('Compose'),
      () => false,
    ),
  ),
);
const compositor = COMMANDS.find((_, index) => working[index]);

describe.skipIf(!compositor)('Docker Compose (skipped where there is none)', () => {
  async function config(variables: Record<string, string>): Promise<string> {
    const [command = '', ...words] = compositor ?? [];
    // Not that of this checkout.
    const away = ['--env-file', '/dev/null', '--profile', 'observability'];
    const { PATH = '', HOME = '' } = process.env;
    const { stdout } = await run(command, [...words, ...away, 'config', '--format', 'json'], {
      cwd: root,
      env: { PATH, HOME, ...variables },
    });
    return stdout;
  }

  it('accepts the file, and reads it as these tests do', async () => {
    const understood = JSON.parse(await config(secrets)) as Compose;
    expect(Object.keys(understood.services).sort()).toEqual(Object.keys(compose.services).sort());
    for (const [name, service] of ours)
      expect(understood.services[name]?.environment).toMatchObject(environmentOf(service));
  });

  it('starts nothing without passwords, and names the command that creates them', async () => {
    const { COMPOSE_PASSWORD: _, ...others } = secrets;
    await expect(config(others)).rejects.toThrow('run deploy/compose-secrets.sh');
  });
});
