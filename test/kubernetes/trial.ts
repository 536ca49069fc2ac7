/** The checks of `prove -- kubernetes`, in the order of an operator's day. */
import type { Checks } from '../support/checks.ts';
import { type Cluster, NODES } from './control-plane.ts';
import type { Item, Operator } from './operator.ts';

const JOB = 'job/package-import-migrate';
/** Versions of the image: kustomize sets them, and nobody pulls them. */
const FIRST = '1.0.0';
const SECOND = '1.0.1';
const SERVICE = 'app.kubernetes.io/part-of=package-import';
const ROLLOUT = ['rollout', 'status', 'deployment', '--selector', SERVICE, '--timeout', '2m'];

export async function checkInstallation(operator: Operator, overlay: string, checks: Checks): Promise<void> {
  const { cluster } = operator;
  if (overlay === 'small') await offerVolume(cluster);
  const { code, stderr } = await operator.install(overlay);
  checks.that('the commands of the page succeed', code === 0, stderr);
  checks.that('the API server warns of nothing', !/Warning/.test(stderr), stderr);
  await cluster.kubectl('wait', JOB, '--for=condition=complete', '--timeout=1m');
  const scaled = await actAsKeda(operator);
  await cluster.kubectl(...ROLLOUT);
  const deployments = await operator.list('deployments');
  checks.none('every deployment is available', deployments.filter(isIncomplete).map(nameOf));
  checks.that(
    `the scaling objects name deployments: ${scaled.join(', ') || 'none'}`,
    isIn(deployments, scaled),
  );
  checks.none('every autoscaler finds the deployment that it scales', await lostAutoscalers(operator));
  await checkImages(operator, FIRST, checks);
}

/** There is no storage class here that makes volumes. */
async function offerVolume(cluster: Cluster): Promise<void> {
  await cluster.create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'shared' },
    spec: {
      capacity: { storage: '200Gi' },
      accessModes: ['ReadWriteMany'],
      nfs: { server: 'files.company.example', path: '/archive' },
    },
  });
}

/** Sets the smallest number of pods, as KEDA does where nothing waits. @returns the deployments that it scales */
async function actAsKeda({ cluster, list }: Operator): Promise<string[]> {
  const scaled: string[] = [];
  for (const { spec } of await list('scaledobjects')) {
    const name = spec.scaleTargetRef?.name ?? '';
    await cluster.kubectl('scale', `deployment/${name}`, `--replicas=${spec.minReplicaCount}`);
    scaled.push(name);
  }
  return scaled;
}

async function lostAutoscalers({ cluster, list }: Operator): Promise<string[]> {
  await cluster.kubectl('wait', 'hpa', '--all', '--for=condition=AbleToScale', '--timeout=1m');
  const lost = ({ status }: Item) =>
    status.conditions?.some(({ type, reason }) => type === 'AbleToScale' && reason === 'FailedGetScale');
  return (await list('hpa')).filter(lost).map(nameOf);
}

/** The profile of the namespace is in force: what it forbids is refused. */
export async function checkRestricted(cluster: Cluster, checks: Checks): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'forbidden', namespace: 'package-import' },
    spec: { containers: [{ name: 'any', image: 'any', securityContext: { privileged: true } }] },
  };
  const refusal = await cluster.create(pod).then(
    () => 'created',
    (error: Error) => error.message,
  );
  checks.that('a privileged pod is refused', refusal.includes('violates PodSecurity "restricted:'), refusal);
}

export async function checkUpgrade(operator: Operator, overlay: string, checks: Checks): Promise<void> {
  const before = await operator.list('deployments');
  const { code, stderr } = await operator.apply(overlay, SECOND);
  checks.that(
    'without its first command the upgrade is refused for the job',
    code !== 0 && /Job.*package-import-migrate.*field is immutable/s.test(stderr),
    stderr,
  );
  const upgrade = await operator.upgrade(overlay, SECOND);
  checks.that('the commands of the page succeed', upgrade.code === 0, upgrade.stderr);
  await operator.cluster.kubectl('wait', JOB, '--for=condition=complete', '--timeout=1m');
  await checkImages(operator, SECOND, checks);
  const fewer = before.filter(({ metadata, spec }) => {
    const seen = upgrade.available.get(metadata.name) ?? [];
    return seen.length === 0 || seen.some((count) => count < (spec.replicas ?? 1));
  });
  checks.none('no deployment had fewer pods meanwhile', fewer.map(nameOf));
}

async function checkImages({ list }: Operator, version: string, checks: Checks): Promise<void> {
  const pods = (await list('pods')).filter(
    ({ metadata, status }) => status.phase === 'Running' && metadata.deletionTimestamp === undefined,
  );
  const others = pods.filter(({ spec }) =>
    spec.containers?.some(({ image }) => !image.endsWith(`:${version}`)),
  );
  checks.that(`all ${pods.length} pods have the version ${version}`, pods.length > 0 && others.length === 0, {
    others: others.map(nameOf),
  });
}

/**
 * All pods are on one node, and no other node takes any: the disruption budgets must keep half of them. Then the others take them.
 */
export async function checkDrain(operator: Operator, checks: Checks): Promise<void> {
  const { cluster, list } = operator;
  const [drained, ...others] = NODES;
  const drain = (timeout: string) =>
    cluster.kubectl('drain', drained, '--delete-emptydir-data', `--timeout=${timeout}`);
  await cluster.kubectl('cordon', ...others);
  await cluster.kubectl('rollout', 'restart', 'deployment');
  await cluster.kubectl(...ROLLOUT);

  const refusal = await drain('15s').then(
    () => 'drained',
    (error: Error) => error.message,
  );
  checks.that(
    'the budgets refuse to evict the last pods while no other node takes new ones',
    refusal.includes("violate the pod's disruption budget"),
    refusal,
  );
  const left = await list('deployments');
  const without = left.filter(
    ({ spec, status }) => (status.availableReplicas ?? 0) < (spec.replicas ?? 1) - 1,
  );
  checks.none('every deployment keeps all of its pods but one', without.map(nameOf));

  await cluster.kubectl('uncordon', ...others);
  await drain('2m');
  await cluster.kubectl(...ROLLOUT);
  const after = await list('deployments');
  checks.none(
    'every deployment is available as soon as others take the pods',
    after.filter(isIncomplete).map(nameOf),
  );
  const onNode = (await list('pods')).filter(({ spec }) => spec.nodeName === drained);
  checks.none('no pod is on the node', onNode.map(nameOf));
  await cluster.kubectl('uncordon', drained);
}

const nameOf = ({ metadata }: Item) => metadata.name;

const isIncomplete = ({ spec, status }: Item) => status.availableReplicas !== spec.replicas;

const isIn = (deployments: readonly Item[], names: readonly string[]) =>
  names.every((name) => deployments.some(({ metadata }) => metadata.name === name));
