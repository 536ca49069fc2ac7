/** deploy/kubernetes/components: routes, metrics and scaling against what they are about. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/index.ts';
import { WORKER_ROLES } from '../../../src/domain/task-queues.ts';
import { readText, readYaml } from '../support.ts';
import { environmentOf, FOLDER, type Resource, resourcesIn } from './resources.ts';

const base = await resourcesIn(`${FOLDER}/base`);
const all = [...base, ...(await readYaml<Resource>(`${FOLDER}/secret.example.yaml`))];
const deployment = (name: string) =>
  base.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name)?.spec?.template?.spec;

describe('the route', async () => {
  const [route] = await resourcesIn(`${FOLDER}/components/http-route`);

  it('leads to a port of the service', () => {
    const service = base.find(({ kind }) => kind === 'Service');
    const ports = (service?.spec?.ports ?? []).map(({ port }) => port);
    const backends = (route?.spec?.rules ?? []).flatMap(({ backendRefs }) => backendRefs);
    expect(backends.length).toBe(2);
    for (const { name, port } of backends) {
      expect(name).toBe(service?.metadata.name);
      expect(ports).toContain(port);
    }
  });
});

describe('the monitors', async () => {
  const monitors = await resourcesIn(`${FOLDER}/components/pod-monitors`);

  it('scrape existing ports, under the job names of prometheus.yml', async () => {
    const [prometheus] = await readYaml<{ scrape_configs: { job_name: string }[] }>(
      'deploy/prometheus/prometheus.yml',
    );
    const jobs = monitors.flatMap(({ spec }) => spec?.podMetricsEndpoints ?? []);
    expect(jobs.map(({ relabelings }) => relabelings[0]?.replacement).sort()).toEqual(
      (prometheus?.scrape_configs ?? []).map(({ job_name }) => job_name).sort(),
    );
    const ports = base.flatMap(({ spec }) =>
      (spec?.template?.spec.containers ?? []).flatMap((container) => container.ports ?? []),
    );
    for (const { port } of jobs) expect(ports.map(({ name }) => name)).toContain(port);
  });

  it('select the gateway, and every worker', () => {
    const [gateway, workers] = monitors.map(({ spec }) => spec?.selector);
    expect(gateway?.matchLabels?.['app.kubernetes.io/component']).toBe('gateway');
    const components = base
      .filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name !== 'gateway')
      .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component']);
    expect(workers?.matchExpressions?.[0]?.values.sort()).toEqual(components.sort());
  });
});

describe('the scaling by task queues', async () => {
  const scaled = await resourcesIn(`${FOLDER}/components/keda`);

  it('scales each worker by the queue that it polls, with the address of the worker', () => {
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
      expect(environment).toHaveProperty(trigger?.metadata.endpointFromEnv ?? '');
      expect(environment).toHaveProperty(trigger?.metadata.namespaceFromEnv ?? '');
      expect(spec?.minReplicaCount).toBeGreaterThan(1);
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

it('no page mentions the retired ingress controller', async () => {
  for (const page of ['deploy/kubernetes.md', `${FOLDER}/components/http-route/http-route.yaml`])
    expect(await readText(page)).not.toMatch(/ingress-nginx|kind: Ingress/i);
});
