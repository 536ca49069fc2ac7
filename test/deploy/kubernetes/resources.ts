/** Reads deploy/kubernetes: the files, and an overlay as kustomize renders it. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findGoProgram } from '../../support/go-tool.ts';
import { exists, readText, readYaml } from '../support.ts';

export const FOLDER = 'deploy/kubernetes';
export const OVERLAYS = ['small', 'large', 'temporal-cloud'] as const;

const KUSTOMIZE = { version: 'v5.8.2', package: 'sigs.k8s.io/kustomize/kustomize/v5' };

export interface Probe {
  httpGet: { path: string; port: string };
}

export interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: KeyReference; configMapKeyRef?: KeyReference };
}

export interface KeyReference {
  name: string;
  key: string;
  optional?: boolean;
}

export interface SecurityContext {
  runAsNonRoot?: boolean;
  runAsUser?: number;
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  readOnlyRootFilesystem?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  seccompProfile?: { type: string };
}

export interface Container {
  name: string;
  image: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  env?: Variable[];
  envFrom?: { configMapRef: { name: string } }[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop: { sleep: { seconds: number } } };
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  securityContext?: SecurityContext;
  automountServiceAccountToken?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  terminationGracePeriodSeconds?: number;
  volumes?: { name: string; persistentVolumeClaim?: { claimName: string }; hostPath?: object }[];
}

export interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

export interface NetworkRule {
  from?: { namespaceSelector?: Selector }[];
  to?: { namespaceSelector?: Selector; ipBlock?: { cidr: string; except?: string[] } }[];
  ports?: { protocol: string; port: number | string }[];
}

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: {
    replicas?: number;
    minReplicas?: number;
    maxReplicas?: number;
    minReplicaCount?: number;
    maxReplicaCount?: number;
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    selector?: Record<string, string> & Selector;
    podSelector?: Selector;
    policyTypes?: string[];
    ingress?: NetworkRule[];
    egress?: NetworkRule[];
    scaleTargetRef?: { kind?: string; name: string };
    ports?: { name: string; port: number; targetPort: string }[];
    rules?: RouteRule[];
    podMetricsEndpoints?: { port: string; relabelings: { regex: string; replacement: string }[] }[];
    /** Secret that an ExternalSecret makes. */
    target?: { name: string };
    /** Triggers of a ScaledObject. The secrets of its TriggerAuthentication follow. */
    triggers?: { type: string; metadata: Record<string, string>; authenticationRef?: { name: string } }[];
    secretTargetRef?: { parameter: string; name: string; key: string }[];
  };
}

interface RouteRule {
  matches: { path: { type: 'Exact' | 'PathPrefix'; value: string } }[];
  timeouts?: { request: string };
  backendRefs: { name: string; port: number }[];
}

interface Kustomization {
  resources: string[];
  patches?: { target: { kind: string; name?: string }; path?: string }[];
}

async function kustomizationOf(folder: string): Promise<Kustomization> {
  const [kustomization] = await readYaml<Kustomization>(`${folder}/kustomization.yaml`);
  if (!kustomization) throw new Error(`${folder} has no kustomization`);
  return kustomization;
}

/** The files that a kustomization lists, in its order. */
export async function filesOf(folder: string): Promise<string[]> {
  return (await kustomizationOf(folder)).resources.map((file) => `${folder}/${file}`);
}

/** Every resource of a folder's kustomization, with the patches that are files. Other patches need kustomize. */
export async function resourcesIn(folder: string): Promise<Resource[]> {
  const { patches = [] } = await kustomizationOf(folder);
  const files = await filesOf(folder);
  const present = await Promise.all(files.map(exists));
  let resources = (
    await Promise.all(files.filter((_, n) => present[n]).map((file) => readYaml<Resource>(file)))
  ).flat();
  for (const { target, path } of patches) {
    const [patch] = path === undefined ? [] : await readYaml<Resource>(`${folder}/${path}`);
    if (patch)
      resources = resources.map((one) =>
        one.kind === target.kind && new RegExp(`^${target.name ?? '.*'}$`).test(one.metadata.name)
          ? { ...merged(one, patch), metadata: one.metadata }
          : one,
      );
  }
  return resources;
}

/** A strategic merge, as far as our patches need it: lists of named things are merged by name. */
function merged<T>(own: T, patch: T): T {
  if (own === undefined || patch === undefined) return own ?? patch;
  if (Array.isArray(own) && Array.isArray(patch)) {
    const patchOf = ({ name }: { name: string }) => patch.find((one) => one.name === name);
    const more = patch.filter(({ name }) => !own.some((one) => one.name === name));
    return [...own.map((one) => merged(one, patchOf(one))), ...more] as T;
  }
  if (typeof own !== 'object' || typeof patch !== 'object' || !own || !patch) return patch;
  const names = [...new Set([...Object.keys(own), ...Object.keys(patch)])] as (keyof T)[];
  return Object.fromEntries(names.map((name) => [name, merged(own[name], patch[name])])) as T;
}

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Overlays as they would be applied; or why they cannot be rendered: kustomize is built from its Go module. */
export async function findRenderer() {
  const { found, ...missing } = await findGoProgram(`kustomize-${KUSTOMIZE.version}`, KUSTOMIZE);
  if (found === null) return { render: null, reason: 'reason' in missing ? missing.reason : '' };
  return {
    async render(folder: string): Promise<{ text: string; resources: Resource[] }> {
      const { stdout: text } = await execute(found, ['build', `${root}${folder}`]);
      const resources = parseAllDocuments(text).map((document) => document.toJS() as Resource);
      return { text, resources };
    },
  };
}

/** Deployments and jobs, each with what its pods are made of. */
export function podsIn(resources: readonly Resource[]) {
  return resources.flatMap(({ kind, metadata, spec }) =>
    spec?.template ? [{ name: `${kind} ${metadata.name}`, template: spec.template }] : [],
  );
}

export const containersOf = ({ initContainers = [], containers }: PodSpec) => [
  ...initContainers,
  ...containers,
];

/** Optional keys of the secret: those that are commented out in the example. */
export async function optionalKeys(): Promise<string[]> {
  const example = await readText(`${FOLDER}/secret.example.yaml`);
  return [...example.matchAll(/^ {2}# ([A-Z_]+): /gm)].map(([, key]) => key ?? '');
}

/** The environment of a container, with the values of the configuration and of the example secret. */
export function environmentOf(
  { env = [], envFrom = [] }: Container,
  resources: readonly Resource[],
): Record<string, string> {
  const named = (kind: string, name: string) =>
    resources.find((one) => one.kind === kind && one.metadata.name === name);
  const fromMaps = envFrom.map(({ configMapRef }) => named('ConfigMap', configMapRef.name)?.data ?? {});
  const own = env.flatMap(({ name, value, valueFrom }) => {
    const { secretKeyRef: secret, configMapKeyRef: map } = valueFrom ?? {};
    const given =
      value ??
      (secret && named('Secret', secret.name)?.stringData?.[secret.key]) ??
      (map && named('ConfigMap', map.name)?.data?.[map.key]);
    return given === undefined ? [] : [[name, given]];
  });
  return Object.assign({}, ...fromMaps, Object.fromEntries(own));
}

/** `secret/KEY` of each secret that the containers are given; not those that only Temporal Cloud and buckets need. */
export function secretsOf(spec: PodSpec): string[] {
  const references = containersOf(spec).flatMap(({ env = [] }) =>
    env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []),
  );
  const names = references.map(({ name, key }) => `${name}/${key}`);
  return [...new Set(names)].filter((name) => !/\/(?:AWS_|TEMPORAL_API_KEY)/.test(name)).sort();
}
