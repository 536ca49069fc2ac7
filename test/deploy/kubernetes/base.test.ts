/**
 * deploy/kubernetes/base and the components against the configuration, and against themselves; the upgrade of the page.
 */
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { ERROR_PAGE } from '../../../src/contract/error-codes.ts';
import { OPERATIONS } from '../../../src/contract/operations.ts';
import { WORKER_ROLES } from '../../../src/domain/task-queues.ts';
import { resultOf } from '../../support/child-output.ts';
import { readCommands } from '../../support/page-commands.ts';
import { exists, programOf, readText, readYaml, scriptsIn, unknownVariables } from '../support.ts';
import {
  containersOf,
  environmentOf,
  FOLDER,
  filesOf,
  optionalKeys,
  podsIn,
  type Resource,
  resourcesIn,
} from './resources.ts';
import { connectionsAtMost, POSTGRESQL_CONNECTIONS } from './rules.ts';

const resources = await resourcesIn(`${FOLDER}/base`);
const secrets = await readYaml<Resource>(`${FOLDER}/secret.example.yaml`);
const all = [...resources, ...secrets];
const named = (kind: string, name: string) =>
  all.find((one) => one.kind === kind && one.metadata.name === name);
const pods = podsIn(resources);
const optional = await optionalKeys();

describe('deploy/kubernetes/base', () => {
  it('lists existing files, the namespace first, with every process of the service', async () => {
    const files = await filesOf(`${FOLDER}/base`);
    for (const file of files) expect([file, await exists(file)]).toEqual([file, true]);
    expect(files[0]).toBe(`${FOLDER}/base/namespace.yaml`);
    expect(pods.map(({ name }) => name).sort()).toEqual([
      'Deployment gateway',
      'Deployment worker-package-import',
      'Deployment worker-package-reading',
      'Deployment worker-regulator-insert',
      'Job package-import-migrate',
    ]);
  });

  it('has the version of package.json', async () => {
    const { version } = JSON.parse(await readText('package.json')) as { version: string };
    const [kustomization] = await readYaml<{ images: object[] }>(`${FOLDER}/base/kustomization.yaml`);
    expect(kustomization?.images).toEqual([{ name: 'package-import', newTag: version }]);
  });

  it('has a configuration of existing variables', () => {
    const data = named('ConfigMap', 'package-import')?.data ?? {};
    expect(Object.keys(data).length).toBeGreaterThan(10);
    expect(unknownVariables(Object.keys(data))).toEqual([]);
    expect(Object.values(data).filter((value) => typeof value !== 'string')).toEqual([]);
    const secret = named('Secret', 'package-import')?.stringData ?? {};
    expect(unknownVariables([...Object.keys(secret), ...optional])).toEqual([]);
  });

  it.each(pods)('$name has existing variables from existing sources, with valid values', ({ template }) => {
    for (const container of containersOf(template.spec)) {
      expect(unknownVariables((container.env ?? []).map(({ name }) => name))).toEqual([]);
      for (const { valueFrom } of container.env ?? []) {
        const { secretKeyRef: secret, configMapKeyRef: map } = valueFrom ?? {};
        if (map) expect(Object.keys(named('ConfigMap', map.name)?.data ?? {})).toContain(map.key);
        if (!secret) continue;
        const { name, key, optional: isOptional } = secret;
        const keys = isOptional ? optional : Object.keys(named('Secret', name)?.stringData ?? {});
        expect(keys).toContain(key);
      }
      for (const { configMapRef } of container.envFrom ?? [])
        expect(named('ConfigMap', configMapRef.name)).toBeDefined();
      const environment = environmentOf(container, all);
      expect(environment.DATABASE_URL).toBeDefined();
      // In the image every process listens on all addresses, which refuses secrets that anybody can read here.
      const filledIn = Object.entries(environment).map(([name, value]) => [
        name,
        value.replaceAll('change-me', 'secret-of-our-own'),
      ]);
      const filled = { ...Object.fromEntries(filledIn), HOST: '0.0.0.0' };
      expect(() => loadConfig(filled, '/app', programOf(container.args))).not.toThrow();
      expect(environment.ALLOW_INSECURE).toBe('false');
    }
  });

  it.each(pods)('$name starts, mounts and probes existing things', async ({ template: { spec } }) => {
    for (const container of containersOf(spec)) {
      for (const script of scriptsIn(container.args))
        expect([script, await exists(script)]).toEqual([script, true]);
      expect(scriptsIn(container.args)).toHaveLength(1);
      const volumes = (spec.volumes ?? []).map(({ name }) => name);
      for (const { name } of container.volumeMounts ?? []) expect(volumes).toContain(name);
      const ports = (container.ports ?? []).map(({ name }) => name);
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      for (const probe of probes.filter((one) => one !== undefined)) {
        expect(ports).toContain(probe.httpGet.port);
        expect(['/health/live', '/health/ready']).toContain(probe.httpGet.path);
      }
      expect(probes.filter((one) => one === undefined)).toHaveLength(ports.length === 0 ? 3 : 0);
      const { gateway, healthPort } = loadConfig(environmentOf(container, all));
      for (const { name, containerPort } of container.ports ?? [])
        expect([name, containerPort]).toEqual([name, name === 'http' ? gateway.port : healthPort]);
      for (const probe of probes.filter((one) => one !== undefined))
        expect(probe.httpGet.port).toBe('health');
    }
  });

  const deployments = pods.filter(({ name }) => name.startsWith('Deployment'));

  it.each(deployments)('$name has more time to end than it needs', ({ name, template: { spec } }) => {
    const [container] = spec.containers;
    if (!container) throw new Error('no container');
    const { shutdownGraceMs, gateway } = loadConfig(environmentOf(container, all));
    const neededMs = name === 'Deployment gateway' ? gateway.uploadGraceMs : shutdownGraceMs;
    const before = container.lifecycle?.preStop.sleep.seconds ?? 0;
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(before + neededMs / 1000 + 10);
  });

  it('lets a migration take as long as it needs', () => {
    expect(named('Job', 'package-import-migrate')?.spec).not.toHaveProperty('activeDeadlineSeconds');
  });

  it.each(deployments)('$name waits until the job has migrated the schema', ({ template: { spec } }) => {
    expect(spec.initContainers?.map(({ args }) => args)).toEqual([
      ['node', 'src/processes/migrate.ts', '--wait'],
    ]);
    const job = named('Job', 'package-import-migrate')?.spec?.template?.spec.containers[0];
    expect(job?.args).toEqual(['node', 'src/processes/migrate.ts']);
    expect(spec.initContainers?.[0]?.image).toBe(job?.image);
  });

  it('leaves some of the default connections of PostgreSQL free', () => {
    expect(connectionsAtMost(all)).toBeLessThan(POSTGRESQL_CONNECTIONS);
    expect(connectionsAtMost(all)).toBeGreaterThan(50);
  });

  it('selects existing pods', () => {
    const labels = pods.map(({ template }) => template.metadata.labels);
    const kinds = ['Service', 'Deployment', 'PodDisruptionBudget'];
    const selecting = resources.filter(({ kind }) => kinds.includes(kind));
    expect(selecting.length).toBeGreaterThan(6);
    for (const { kind, metadata, spec } of selecting) {
      const selector = Object.entries(spec?.selector?.matchLabels ?? spec?.selector ?? {});
      const matches = labels.filter((one) => selector.every(([name, value]) => one[name] === value));
      const found = [kind, metadata.name, selector.length > 0, matches.length];
      expect(found).toEqual([kind, metadata.name, true, 1]);
    }
  });

  it('scales existing deployments, at existing ports', () => {
    for (const { spec } of resources) {
      const target = spec?.scaleTargetRef;
      if (target) expect(named('Deployment', target.name)).toBeDefined();
    }
    const container = named('Deployment', 'gateway')?.spec?.template?.spec.containers[0];
    const ports = (container?.ports ?? []).map(({ name }) => name);
    for (const { targetPort } of named('Service', 'gateway')?.spec?.ports ?? [])
      expect(ports).toContain(targetPort);
  });
});

const deployment = (name: string) =>
  resources.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)?.spec?.template
    ?.spec;

describe('the route', () => {
  const route = named('HTTPRoute', 'package-import');

  it('leads to a port of the service', () => {
    const service = resources.find(({ kind }) => kind === 'Service');
    const ports = (service?.spec?.ports ?? []).map(({ port }) => port);
    const backends = (route?.spec?.rules ?? []).flatMap(({ backendRefs }) => backendRefs);
    expect(backends.length).toBe(2);
    for (const { name, port } of backends) {
      expect(name).toBe(service?.metadata.name);
      expect(ports).toContain(port);
    }
  });

  it('leads to the API, its description and the web page', () => {
    const matches = (route?.spec?.rules ?? []).flatMap((rule) => rule.matches);
    const isRouted = (asked: string) =>
      matches.some(
        ({ path: { type, value } }) =>
          asked === value || (type === 'PathPrefix' && asked.startsWith(`${value}/`)),
      );
    const paths = [
      ...Object.values(OPERATIONS).map(({ path }) => path),
      ...['/api/doc', '/api/doc.json', ERROR_PAGE, '/app', '/app/callback'],
    ];
    expect(paths.filter((path) => !isRouted(path))).toEqual([]);
  });
});

it('the monitor scrapes every process of ours that lasts, under the job names of prometheus.yml', async () => {
  const [monitor] = await resourcesIn(`${FOLDER}/components/prometheus-operator`);
  const [{ port, relabelings: [job] = [] } = {}] = monitor?.spec?.podMetricsEndpoints ?? [];
  const scraped = pods.flatMap(({ template: { metadata, spec } }) => {
    const isScraped = spec.containers.some(({ ports = [] }) => ports.some(({ name }) => name === port));
    const component = metadata.labels['app.kubernetes.io/component'] ?? '';
    return isScraped ? component.replace(new RegExp(`^${job?.regex}$`), job?.replacement ?? '') : [];
  });
  const [prometheus] = await readYaml<{ scrape_configs: { job_name: string }[] }>(
    'deploy/prometheus/prometheus.yml',
  );
  const [gateway, worker] = (prometheus?.scrape_configs ?? []).map(({ job_name }) => job_name);
  expect(scraped.sort()).toEqual([gateway, worker, worker, worker]);
});

it('external secrets are those of the example', async () => {
  const external = await resourcesIn(`${FOLDER}/components/external-secrets`);
  const made = external.map(({ metadata, spec }) => [metadata.name, spec?.target?.name]);
  expect(made).toEqual(secrets.map(({ metadata: { name } }) => [name, name]));
});

describe('the scaling by task queues', async () => {
  const component = await resourcesIn(`${FOLDER}/components/keda`);
  const scaled = component.filter(({ kind }) => kind === 'ScaledObject');

  it('scales each worker by the queue that it polls', () => {
    const queues = scaled
      .flatMap(({ spec }) => spec?.triggers ?? [])
      .map(({ metadata }) => metadata.taskQueue);
    expect(queues.sort()).toEqual([...WORKER_ROLES].sort());
    for (const { spec } of scaled) {
      const [container] = deployment(spec?.scaleTargetRef?.name ?? '')?.containers ?? [];
      if (!container) throw new Error('scales nothing');
      const environment = environmentOf(container, all);
      const [trigger] = spec?.triggers ?? [];
      expect(loadConfig(environment).worker.roles).toEqual([trigger?.metadata.taskQueue]);
    }
  });

  it('counts the tasks that a worker of the queue accepts: readings are activities', () => {
    const types = scaled.map(({ metadata, spec }) => [
      metadata.name,
      spec?.triggers?.[0]?.metadata.queueTypes,
    ]);
    expect(Object.fromEntries(types)).toEqual({
      'worker-package-import': 'workflow,activity',
      'worker-package-reading': 'activity',
      'worker-regulator-insert': 'workflow,activity',
    });
  });
});

it('the upgrade of the page ends at the first failure in a shell that continues after one', async () => {
  const upgrade = (await readCommands('deploy/kubernetes.md')).get('upgrade');
  const kubectl = `kubectl() { echo "$@"; case "$*" in *rollout*) return 1 ;; esac }`;
  const { code, stdout } = await resultOf(spawn('bash', ['-c', `${kubectl}\n${upgrade}`]));
  expect(stdout.match(/apply|rollout/g)).toEqual(['apply', 'rollout']);
  expect(code).toBe(1);
});
