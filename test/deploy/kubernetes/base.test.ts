/** deploy/kubernetes against the configuration, and against itself. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { exists, readText, readYaml, scriptsIn, unknownVariables } from './support.ts';

const FOLDER = 'deploy/kubernetes';

interface Probe {
  httpGet: { path: string; port: string };
}

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } };
}

interface Container {
  name: string;
  image: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  env?: Variable[];
  envFrom?: { configMapRef: { name: string } }[];
  volumeMounts?: { name: string }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
}

interface PodSpec {
  containers: Container[];
  terminationGracePeriodSeconds?: number;
  volumes?: { name: string; persistentVolumeClaim?: { claimName: string } }[];
}

interface Resource {
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: {
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    selector?: Record<string, string> & { matchLabels?: Record<string, string> };
    scaleTargetRef?: { kind: string; name: string };
    ports?: { name: string; targetPort: string }[];
    rules?: {
      http: { paths: { backend: { service: { name: string; port: { name: string } } } }[] };
    }[];
  };
}

const [kustomization] = await readYaml<{ resources: string[] }>(`${FOLDER}/kustomization.yaml`);
const files = kustomization?.resources ?? [];
const resources = (
  await Promise.all(
    files.map(async (file) =>
      (await exists(`${FOLDER}/${file}`)) ? readYaml<Resource>(`${FOLDER}/${file}`) : [],
    ),
  )
).flat();
const examples = [
  ...(await readYaml<Resource>(`${FOLDER}/secret.example.yaml`)),
  ...(await readYaml<Resource>(`${FOLDER}/ingress.example.yaml`)),
];

const named = (kind: string, name: string) =>
  [...resources, ...examples].find((one) => one.kind === kind && one.metadata.name === name);
const pods = resources.flatMap(({ kind, metadata, spec }) =>
  spec?.template ? [{ name: `${kind} ${metadata.name}`, template: spec.template }] : [],
);

/** What the secret may hold beyond what it must: those that are commented out in the example. */
const optionalKeys = [
  ...(await readText(`${FOLDER}/secret.example.yaml`)).matchAll(/^ {2}# ([A-Z_]+): /gm),
].map(([, key]) => key ?? '');

/** What a container finds in its environment, with the values of the examples. */
function environmentOf({ env = [], envFrom = [] }: Container): Record<string, string> {
  const fromMaps = envFrom.map(({ configMapRef }) => named('ConfigMap', configMapRef.name)?.data ?? {});
  const own = env.flatMap(({ name, value, valueFrom }) => {
    const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {};
    const given = value ?? named('Secret', secret)?.stringData?.[key];
    return given === undefined ? [] : [[name, given]];
  });
  return Object.assign({}, ...fromMaps, Object.fromEntries(own));
}

describe('deploy/kubernetes', () => {
  it('lists files that are there, with every process of ours', async () => {
    for (const file of files) expect([file, await exists(`${FOLDER}/${file}`)]).toEqual([file, true]);
    expect(pods.map(({ name }) => name).sort()).toEqual([
      'Deployment gateway',
      'Deployment worker-package-import',
      'Deployment worker-package-reading',
      'Deployment worker-regulator-insert',
      'Job package-import-migrate',
    ]);
  });

  it('has a configuration of variables that exist', () => {
    const data = named('ConfigMap', 'package-import')?.data ?? {};
    expect(Object.keys(data).length).toBeGreaterThan(10);
    expect(unknownVariables(Object.keys(data))).toEqual([]);
    expect(Object.values(data).filter((value) => typeof value !== 'string')).toEqual([]);
    const secret = named('Secret', 'package-import')?.stringData ?? {};
    expect(unknownVariables([...Object.keys(secret), ...optionalKeys])).toEqual([]);
  });

  it.each(pods)(
    '$name has variables that exist, from where they are, with values that are taken',
    ({ template }) => {
      for (const container of template.spec.containers) {
        expect(unknownVariables((container.env ?? []).map(({ name }) => name))).toEqual([]);
        for (const { valueFrom } of container.env ?? []) {
          if (!valueFrom) continue;
          const { name, key, optional } = valueFrom.secretKeyRef;
          const keys = optional ? optionalKeys : Object.keys(named('Secret', name)?.stringData ?? {});
          expect(keys).toContain(key);
        }
        for (const { configMapRef } of container.envFrom ?? [])
          expect(named('ConfigMap', configMapRef.name)).toBeDefined();
        const environment = environmentOf(container);
        expect(environment.DATABASE_URL).toBeDefined();
        expect(() => loadConfig(environment)).not.toThrow();
      }
    },
  );

  it.each(pods)('$name starts, mounts and probes what there is', async ({ template: { spec } }) => {
    for (const container of spec.containers) {
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
      const { gateway, worker } = loadConfig(environmentOf(container));
      const served = container.name === 'gateway' ? gateway.port : worker.healthPort;
      for (const { containerPort } of container.ports ?? []) expect(containerPort).toBe(served);
    }
    for (const { persistentVolumeClaim } of spec.volumes ?? [])
      if (persistentVolumeClaim)
        expect(named('PersistentVolumeClaim', persistentVolumeClaim.claimName)).toBeDefined();
  });

  it.each(pods.filter(({ name }) => name.startsWith('Deployment')))(
    '$name gets longer to end than it takes',
    ({ template: { spec } }) => {
      const [container] = spec.containers;
      if (!container) throw new Error('no container');
      const { shutdownGraceMs } = loadConfig(environmentOf(container));
      const before = Number(container.lifecycle?.preStop.exec.command.at(-1) ?? 0);
      const needed = before + shutdownGraceMs / 1000 + 10;
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed);
    },
  );

  it('selects pods that there are', () => {
    const labels = pods.map(({ template }) => template.metadata.labels);
    const selecting = resources.filter(({ kind }) =>
      ['Service', 'Deployment', 'PodDisruptionBudget'].includes(kind),
    );
    expect(selecting.length).toBeGreaterThan(6);
    for (const { kind, metadata, spec } of selecting) {
      const selector = Object.entries(spec?.selector?.matchLabels ?? spec?.selector ?? {});
      const matches = labels.filter((one) => selector.every(([name, value]) => one[name] === value));
      expect([kind, metadata.name, selector.length > 0, matches.length]).toEqual([
        kind,
        metadata.name,
        true,
        1,
      ]);
    }
  });

  it('scales and reaches what there is', () => {
    for (const { spec } of resources) {
      const target = spec?.scaleTargetRef;
      if (target) expect(named(target.kind, target.name)).toBeDefined();
    }
    const service = named('Service', 'gateway');
    const container = named('Deployment', 'gateway')?.spec?.template?.spec.containers[0];
    const ports = (container?.ports ?? []).map(({ name }) => name);
    for (const { targetPort } of service?.spec?.ports ?? []) expect(ports).toContain(targetPort);
    const backends = (named('Ingress', 'package-import')?.spec?.rules ?? []).flatMap(({ http }) =>
      http.paths.map(({ backend }) => backend.service),
    );
    expect(backends.length).toBeGreaterThan(0);
    for (const { name, port } of backends)
      expect((named('Service', name)?.spec?.ports ?? []).map((one) => one.name)).toContain(port.name);
  });
});
