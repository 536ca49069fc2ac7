/** docker-compose.yml against the configuration, and against themselves (issue 3, point 10). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CONFIG_VARIABLES, loadConfig } from '../../src/config/index.ts';
import { TARGETS } from '../../tools/image/build.ts';
import { type Compose, environmentIn, madeSecrets, type Service } from './compose.ts';
import { exists, readText, readYaml, scriptsIn, unknownVariables } from './support.ts';

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

  it.each(ours)('starts %s on the address of the image, with passwords of its own only', (_, service) => {
    const environment = { ...environmentOf(service), HOST: '0.0.0.0' };
    expect(() => loadConfig(environment)).not.toThrow();
    if (service.command?.includes('src/processes/regulator-simulator.ts')) return;
    expect(environment).toMatchObject({ ALLOW_DEMO_PARTS: 'false', ALLOW_INSECURE: 'true' });
    const published = environmentIn(service, { ...secrets, COMPOSE_PASSWORD: 'change-me-change-me' });
    expect(() => loadConfig({ ...published, HOST: '0.0.0.0' })).toThrow(/DATABASE_URL/);
  });

  it('gives each process every variable that means something to it', () => {
    const given = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)));
    expect(CONFIG_VARIABLES.filter((name) => !given.has(name) && !OF_NPM_START.has(name))).toEqual([]);
    const standard = ['AWS_SESSION_TOKEN', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'];
    for (const name of ['gateway', ...WORKERS])
      expect(Object.keys(compose.services[name]?.environment ?? {})).toEqual(
        expect.arrayContaining(standard),
      );
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
    const unexplained = [...asked].filter((name) => !new RegExp(`^#?${name}=`, 'm').test(example));
    expect(unknownVariables(unexplained)).toEqual([]);
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
    const { WORKER_HEALTH_PORT } = environmentOf(service);
    if (name === 'migrate') expect(disable).toBe(true);
    else if (name === 'gateway') expect(service.healthcheck).toBeUndefined();
    else if (name === 'regulator-simulator') expect(asked?.slice(1)).toEqual(['8082', '/control/cases']);
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

  it('has metrics where prometheus.yml looks for them, in every container of a name', async () => {
    const [prometheus] = await readYaml<{
      scrape_configs: { dns_sd_configs: { names: string[]; type: string; port: number }[] }[];
    }>('deploy/prometheus/prometheus.yml');
    const found = (prometheus?.scrape_configs ?? []).flatMap(({ dns_sd_configs }) => dns_sd_configs);
    expect(found.flatMap(({ names }) => names).sort()).toEqual(['gateway', ...WORKERS]);
    for (const { names, type, port } of found) {
      expect(type).toBe('A');
      for (const name of names) {
        const { PORT = '8080', WORKER_HEALTH_PORT } = environmentOf(compose.services[name] as Service);
        expect([name, String(port)]).toEqual([name, name === 'gateway' ? PORT : WORKER_HEALTH_PORT]);
      }
    }
  });

  it('makes the namespace with the tools of the release of the server, behind its schema', () => {
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

  it('shows metrics only where they are asked for, with the dashboard that is here', async () => {
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
  it('are made once each, stay as they are, and keep what was set before', async () => {
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

  it('are in no file that is published', async () => {
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

  it('takes the file, and understands it as these tests do', async () => {
    const understood = JSON.parse(await config(secrets)) as Compose;
    expect(Object.keys(understood.services).sort()).toEqual(Object.keys(compose.services).sort());
    for (const [name, service] of ours)
      expect(understood.services[name]?.environment).toMatchObject(environmentOf(service));
  });

  it('starts nothing without the passwords, and says how they are made', async () => {
    const { COMPOSE_PASSWORD: _, ...others } = secrets;
    await expect(config(others)).rejects.toThrow('run deploy/compose-secrets.sh');
  });
});
