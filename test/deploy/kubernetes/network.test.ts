/** Compares the network policies with the addresses and ports of the configuration. */
import { expect, it } from 'vitest';
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

const base = await resourcesIn(`${FOLDER}/base`);
const all = [...base, ...(await readYaml<Resource>(`${FOLDER}/secret.example.yaml`))];
const policies = base.filter(({ kind }) => kind === 'NetworkPolicy');
const pods = podsIn(base);

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

it('nothing is allowed that is not named', () => {
  const [everything] = policies;
  expect(everything?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
});

it.each(pods)('$name reaches what its configuration names', ({ template: { metadata, spec } }) => {
  const open = portsOf(rulesFor(metadata.labels, 'egress'));
  expect(open).toContain('53');
  for (const container of containersOf(spec)) {
    const ports = needed(environmentOf(container, all));
    expect(ports).toContain('5432');
    expect([...ports].filter((port) => !open.has(port))).toEqual([]);
  }
});

it('only who mails reaches mail servers, and the migration the database alone', () => {
  const reaching = (port: string) =>
    pods
      .filter(({ template }) => portsOf(rulesFor(template.metadata.labels, 'egress')).has(port))
      .map(({ name }) => name);
  expect(reaching('465')).toEqual(['Deployment worker-package-import']);
  expect(reaching('443')).not.toContain('Job package-import-migrate');
  expect(reaching('443')).toHaveLength(4);
});

it('requests and scrapes come in at ports that there are, from where gateways and Prometheus are', () => {
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
  }
});
