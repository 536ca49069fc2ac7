/**
 * Base and overlays as they would be applied: against the schemas that Kubernetes and its extensions publish, our
 * policies and the budget of connections. Tools and schemas come from the registries of Go and PyPI; what they do not
 * give is skipped, and said so.
 */
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { programOf, readText, readYaml } from '../support.ts';
import {
  environmentOf,
  FOLDER,
  findRenderer,
  OVERLAYS,
  podsIn,
  type Resource,
  resourcesIn,
  secretsOf,
} from './resources.ts';
import { connectionsAtMost, POSTGRESQL_CONNECTIONS, podsAtMost, violationsIn } from './rules.ts';
import { EXTENSIONS, findDefinition, findValidator, inFile, isExtension, RELEASES } from './schemas.ts';

/** A tool may have to be built. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 900_000 });

const renderer = await findRenderer();
const validator = await findValidator();
const secrets = await readYaml<Resource>(`${FOLDER}/secret.example.yaml`);
const { render } = renderer;

const DATABASE = 'package-import/DATABASE_URL';
const OF_REGULATOR = ['ENCRYPTION_SECRET', 'REGULATOR_PASSWORD', 'REGULATOR_USERNAME'].map(
  (key) => `package-import/${key}`,
);
const SECRETS = {
  'Deployment gateway': [DATABASE, 'package-import/DOSSIER_SIGNING_KEY', ...OF_REGULATOR],
  'Deployment worker-package-import': [DATABASE, ...OF_REGULATOR, 'package-import/SMTP_URL'],
  'Deployment worker-package-reading': [DATABASE],
  'Deployment worker-regulator-insert': [DATABASE, ...OF_REGULATOR],
  'Job package-import-migrate': ['package-import-owner/DATABASE_URL'],
};

const FOLDERS = ['base', ...OVERLAYS.map((name) => `overlays/${name}`)];

describe.skipIf(render === null)(`rendered by kustomize (${render ? 'built' : renderer.reason})`, () => {
  const rendered = new Map<string, { text: string; resources: Resource[] }>();
  beforeAll(async () => {
    for (const folder of FOLDERS) if (render) rendered.set(folder, await render(`${FOLDER}/${folder}`));
  });
  const of = (folder: string) => rendered.get(folder) ?? { text: '', resources: [] };
  const withSecret = (folder: string) => [...of(folder).resources, ...secrets];
  const find = (folder: string, kind: string, name: string) =>
    of(folder).resources.find((one) => one.kind === kind && one.metadata.name === name);

  it.each(FOLDERS)('%s starts with its namespace, and everything else is in it', (folder) => {
    const [first, ...others] = of(folder).resources;
    expect(first?.kind).toBe('Namespace');
    expect(others.length).toBeGreaterThan(12);
    expect(others.filter(({ metadata }) => metadata.namespace !== first?.metadata.name)).toEqual([]);
  });

  it('the other tests read the base as it is rendered', async () => {
    const read = podsIn(await resourcesIn(`${FOLDER}/base`));
    const bare = (pods: ReturnType<typeof podsIn>) =>
      pods
        .map(({ name, template: { spec } }) => ({
          name,
          ...spec,
          containers: spec.containers.map((one) => ({
            ...one,
            image: '',
            env: one.env?.toSorted((a, b) => a.name.localeCompare(b.name)),
            ports: one.ports?.toSorted((a, b) => a.containerPort - b.containerPort),
          })),
          initContainers: spec.initContainers?.map((one) => ({ ...one, image: '' })),
        }))
        .sort((a, b) => a.name.localeCompare(b.name));
    expect(bare(read)).toEqual(bare(podsIn(of('base').resources)));
  });

  it.each(FOLDERS)('%s gives no pod more rights than it needs', (folder) => {
    expect(podsIn(of(folder).resources)).toHaveLength(5);
    expect(violationsIn(of(folder).resources)).toEqual([]);
  });

  it.each(FOLDERS)('%s leaves PostgreSQL some of its connections', (folder) => {
    expect(connectionsAtMost(withSecret(folder))).toBeLessThan(POSTGRESQL_CONNECTIONS);
  });

  it.each(FOLDERS)('%s has a configuration that every process accepts', (folder) => {
    for (const { template } of podsIn(of(folder).resources))
      for (const container of template.spec.containers)
        expect(() =>
          loadConfig(environmentOf(container, withSecret(folder)), '/app', programOf(container.args)),
        ).not.toThrow();
  });

  it.each(FOLDERS)('%s gives each pod only the secrets of its role', (folder) => {
    const given = podsIn(of(folder).resources).map(({ name, template }) => [name, secretsOf(template.spec)]);
    expect(Object.fromEntries(given)).toEqual(SECRETS);
  });

  it('the network lets pods reach a bucket, or Temporal Cloud, only where there is one', () => {
    for (const folder of FOLDERS) {
      const isVolume = folder === 'overlays/small';
      expect([folder, find(folder, 'NetworkPolicy', 'bucket') !== undefined]).toEqual([folder, !isVolume]);
      const [rule] = find(folder, 'NetworkPolicy', 'temporal')?.spec?.egress ?? [];
      const isCloud = folder === 'overlays/temporal-cloud';
      expect([folder, rule?.to === undefined]).toEqual([folder, isCloud]);
      expect(rule?.ports).toEqual([{ protocol: 'TCP', port: 7233 }]);
    }
  });

  it('packages are in a volume that every pod mounts, or in a bucket', () => {
    for (const folder of FOLDERS) {
      const isVolume =
        find(folder, 'ConfigMap', 'package-import')?.data?.STORAGE_URL === 'file:///data/archive';
      expect([folder, isVolume]).toEqual([folder, folder === 'overlays/small']);
      expect(find(folder, 'PersistentVolumeClaim', 'archive') !== undefined).toBe(isVolume);
      const deployments = podsIn(of(folder).resources).filter(({ name }) => name.startsWith('Deployment'));
      for (const { name, template } of deployments) {
        const mounts = template.spec.containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
        const archive = mounts.find(({ mountPath }) => mountPath === '/data/archive');
        expect([name, archive !== undefined]).toEqual([name, isVolume]);
        if (archive) expect(archive.readOnly === true).toBe(name === 'Deployment worker-regulator-insert');
        expect(mounts.some(({ mountPath }) => mountPath === '/tmp')).toBe(true);
      }
    }
  });

  it('autoscaled deployments have no number of replicas, which each apply would set', () => {
    for (const folder of FOLDERS) {
      const scaled = of(folder).resources.flatMap(({ spec }) => spec?.scaleTargetRef?.name ?? []);
      expect(new Set(scaled).size).toBe(scaled.length);
      for (const name of scaled) expect(find(folder, 'Deployment', name)?.spec?.replicas).toBeUndefined();
    }
    expect(podsAtMost('worker-package-reading', of('overlays/large').resources)).toBe(4);
  });

  it('with Temporal Cloud every pod has the key', () => {
    const { resources } = of('overlays/temporal-cloud');
    for (const { template } of podsIn(resources).filter(({ name }) => name.startsWith('Deployment'))) {
      const key = template.spec.containers[0]?.env?.find(({ name }) => name === 'TEMPORAL_API_KEY');
      expect(key?.valueFrom?.secretKeyRef?.optional).toBe(false);
    }
  });

  /** KEDA's scaler connects without TLS unless it has an API key, or a client certificate and its key. */
  it.each([
    ['overlays/large', ['cert', 'key', 'ca']],
    ['overlays/temporal-cloud', ['apiKey']],
  ])('in %s KEDA reaches Temporal by TLS, as the pods do', (folder, parameters) => {
    expect(find(folder, 'ConfigMap', 'package-import')?.data?.TEMPORAL_TLS).toBe('true');
    const { resources } = of(folder);
    const scaled = resources.filter(({ kind }) => kind === 'ScaledObject');
    expect(scaled).toHaveLength(3);
    const [authentication] = resources.filter(({ kind }) => kind === 'TriggerAuthentication');
    expect(authentication?.spec?.secretTargetRef?.map(({ parameter }) => parameter)).toEqual(parameters);
    for (const { spec } of scaled) {
      const [trigger] = spec?.triggers ?? [];
      expect(trigger?.authenticationRef).toEqual({ name: authentication?.metadata.name });
      // The variables of the workers.
      const { endpointFromEnv, namespaceFromEnv } = trigger?.metadata ?? {};
      expect([endpointFromEnv, namespaceFromEnv]).toEqual(['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE']);
      expect(spec?.minReplicaCount).toBeGreaterThan(1);
    }
  });

  const { found: faultOf } = validator;
  describe.skipIf(faultOf === null)(
    `is what Kubernetes publishes (${'reason' in validator ? validator.reason : 'schemas of kubernetes-validate'})`,
    () => {
      // The validator starts Python: once for all folders. A fault names the resource.
      it.each(RELEASES)('Kubernetes %s', async (release) => {
        const own = FOLDERS.flatMap((folder) =>
          of(folder)
            .text.split(/^---$/m)
            .filter((_, index) => !isExtension(of(folder).resources[index] as Resource)),
        );
        expect(await inFile(own.join('\n---\n'), async (path) => faultOf?.(path, release))).toBe(null);
      });

      it('an unknown field is a fault', async () => {
        const wrong = of('base').text.replace('maxUnavailable: 1', 'maximumUnavailable: 1');
        expect(await inFile(wrong, async (path) => faultOf?.(path, RELEASES[1]))).toContain(
          'maximumUnavailable',
        );
      });
    },
  );

  it('the dashboard is a ConfigMap', async () => {
    const dashboard = find('overlays/large', 'ConfigMap', 'package-import-dashboard');
    expect(dashboard?.metadata.labels?.grafana_dashboard).toBe('1');
    expect(dashboard?.data).toEqual({
      'package-import.json': await readText('deploy/grafana/package-import.json'),
    });
  });

  it.for(EXTENSIONS)('each %s follows its definition', async (kind, { skip }) => {
    const { found: faultsOf, ...missing } = await findDefinition(kind);
    if (faultsOf === null) return skip('reason' in missing ? missing.reason : '');
    const external = await resourcesIn(`${FOLDER}/components/external-secrets`);
    const known = [...of('overlays/temporal-cloud').resources, ...external];
    const resources = known.filter((one) => one.kind === kind);
    expect(resources.length).toBeGreaterThan(0);
    for (const resource of resources) {
      expect(faultsOf(resource)).toEqual([]);
      const wrong = { ...resource, spec: { ...resource.spec, nonsense: 1 } };
      expect(faultsOf(wrong as Resource)).toHaveLength(1);
    }
  });
});
