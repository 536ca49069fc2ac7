/** Every pod as restricted as the namespace demands, and its network as its configuration needs. */
import { describe, expect, it } from 'vitest';
import { readYaml } from '../support.ts';
import {
  containersOf,
  environmentOf,
  FOLDER,
  type NetworkRule,
  podsIn,
  type Resource,
  resourcesIn,
  type Selector,
} from './resources.ts';
import { violationsIn } from './rules.ts';

const resources = await resourcesIn(`${FOLDER}/base`);

it('no pod has more rights than it needs, and each has limits', () => {
  expect(podsIn(resources).length).toBe(5);
  expect(violationsIn(resources)).toEqual([]);
});

it('the namespace refuses less restricted pods', () => {
  const namespace = resources.find(({ kind }) => kind === 'Namespace');
  expect(namespace?.metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
});

it.each<[string, (gateway: ReturnType<typeof parts>) => unknown]>([
  ['has a token of the cluster', ({ spec }) => delete spec.automountServiceAccountToken],
  ['shares something of its node', ({ spec }) => Object.assign(spec, { hostNetwork: true })],
  ['mounts a path of its node', ({ spec }) => spec.volumes?.push({ name: 'node', hostPath: {} })],
  ['may be root', ({ spec }) => Object.assign(spec.securityContext ?? {}, { runAsUser: 0 })],
  ['has no seccomp profile', ({ spec }) => delete spec.securityContext?.seccompProfile],
  ['is privileged', ({ security }) => delete security.allowPrivilegeEscalation],
  ['is privileged', ({ security }) => Object.assign(security, { privileged: true })],
  ['keeps capabilities', ({ security }) => delete security.capabilities],
  [
    'keeps capabilities',
    ({ security }) => Object.assign(security.capabilities ?? {}, { add: ['NET_ADMIN'] }),
  ],
  ['can write on its root', ({ security }) => Object.assign(security, { readOnlyRootFilesystem: false })],
  ['requests nothing', ({ init }) => delete init.resources?.requests],
  ['is not limited', ({ init }) => delete init.resources?.limits?.memory],
])('a pod that %s is detected', (what, change) => {
  const copy = structuredClone(resources);
  change(parts(copy));
  expect(violationsIn(copy)).toEqual(
    expect.arrayContaining([expect.stringMatching(new RegExp(`^Deployment gateway: .*${what}$`))]),
  );
});

function parts(all: Resource[]) {
  const gateway = podsIn(all).find(({ name }) => name === 'Deployment gateway');
  if (!gateway) throw new Error('no gateway');
  const { spec } = gateway.template;
  const [init] = containersOf(spec);
  const [main] = spec.containers;
  if (!init || !main?.securityContext) throw new Error('no containers');
  return { spec, init, security: main.securityContext };
}

describe('the network', async () => {
  const all = [...resources, ...(await readYaml<Resource>(`${FOLDER}/secret.example.yaml`))];
  const policies = resources.filter(({ kind }) => kind === 'NetworkPolicy');
  const pods = podsIn(resources);

  type Labels = Record<string, string>;
  type Direction = 'ingress' | 'egress';

  const DEFAULT_PORTS: Labels = { 'https:': '443', 'smtps:': '465', 's3:': '443', 'postgresql:': '5432' };

  function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
    const hasLabels = Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
    return (
      hasLabels &&
      matchExpressions.every(({ key, operator, values }) => {
        if (!['In', 'NotIn'].includes(operator)) throw new Error(`no such operator here: ${operator}`);
        return values.includes(labels[key] ?? '') === (operator === 'In');
      })
    );
  }

  /** Rules for pods with these labels. */
  function rulesFor(labels: Labels, direction: Direction): NetworkRule[] {
    return policies
      .filter(({ spec }) => selects(spec?.podSelector ?? {}, labels))
      .flatMap(({ spec }) => spec?.[direction] ?? []);
  }

  const portsOf = (rules: readonly NetworkRule[]) =>
    new Set(rules.flatMap(({ ports = [] }) => ports.map(({ port }) => String(port))));

  /** Ports of what a process is told to reach. */
  function needed(environment: Labels): Set<string> {
    const ports = Object.values(environment).flatMap((value) => {
      if (/^[\w.-]+:\d+$/.test(value)) return [value.split(':')[1] ?? ''];
      if (!/^[a-z0-9]+:\/\//.test(value)) return [];
      const { port, protocol } = new URL(value);
      return [port || (DEFAULT_PORTS[protocol] ?? `${protocol}?`)];
    });
    return new Set(ports);
  }

  it('only named connections are allowed', () => {
    const [everything] = policies;
    expect(everything?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  it.each(pods)('$name reaches the hosts of its configuration', ({ template: { metadata, spec } }) => {
    const open = portsOf(rulesFor(metadata.labels, 'egress'));
    expect(open).toContain('53');
    for (const container of containersOf(spec)) {
      const ports = needed(environmentOf(container, all));
      expect(ports).toContain('5432');
      expect([...ports].filter((port) => !open.has(port))).toEqual([]);
    }
  });

  it('each role reaches what it needs: the one that reads files of strangers neither the regulator nor the internet', () => {
    const reached = pods.map(({ name, template: { metadata } }) => [
      name,
      policies
        .filter(({ spec }) => spec?.egress && selects(spec.podSelector ?? {}, metadata.labels))
        .map((policy) => policy.metadata.name)
        .sort(),
    ]);
    const reading = ['bucket', 'database', 'names', 'temporal', 'traces'];
    expect(Object.fromEntries(reached)).toEqual({
      'Deployment gateway': [...reading, 'identity-service', 'regulator'].sort(),
      'Deployment worker-package-import': [...reading, 'mail', 'regulator', 'webhooks'].sort(),
      'Deployment worker-package-reading': reading,
      'Deployment worker-regulator-insert': [...reading, 'regulator'].sort(),
      'Job package-import-migrate': ['database', 'names'],
    });
  });

  it('every connection names its destination, and only webhooks go to any public address, by https', () => {
    const anywhere = policies.filter(({ spec }) =>
      (spec?.egress ?? []).some(({ to = [] }) => to.length === 0 || to.some(({ ipBlock }) => isAny(ipBlock))),
    );
    expect(anywhere.map(({ metadata }) => metadata.name)).toEqual(['webhooks']);
    const [{ to = [], ports = [] } = {}] = anywhere[0]?.spec?.egress ?? [];
    expect(ports).toEqual([{ protocol: 'TCP', port: 443 }]);
    const [ipv4, ipv6] = to.map(({ ipBlock }) => ipBlock?.except ?? []);
    expect(ipv4).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']),
    );
    expect(ipv6).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']));
  });

  function isAny(ipBlock: { cidr: string } | undefined): boolean {
    return ipBlock?.cidr.endsWith('/0') ?? false;
  }

  it('requests reach the public port, and scrapes the port of health only', () => {
    for (const { name, template } of pods) {
      const rules = rulesFor(template.metadata.labels, 'ingress');
      const ports = containersOf(template.spec).flatMap((container) => container.ports ?? []);
      const from = rules.flatMap((rule) => rule.from ?? []).map((one) => one.namespaceSelector?.matchLabels);
      const namespaces = from.map((labels) => labels?.['kubernetes.io/metadata.name']);
      expect([name, namespaces]).toEqual([
        name,
        name === 'Deployment gateway' ? ['gateway-system', 'monitoring'] : ['monitoring'],
      ]);
      for (const port of ports) expect(portsOf(rules)).toContain(port.name);
      const scraped = rules.filter(({ from = [] }) =>
        from.some(
          (one) => one.namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name'] === 'monitoring',
        ),
      );
      expect([name, [...portsOf(scraped)]]).toEqual([name, ['health']]);
    }
  });
});
