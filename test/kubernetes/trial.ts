/** The checks of `prove -- kubernetes`, in the order of an operator's day. */
import type { Checks } from '../support/checks.ts';
import { type Cluster, NODES } from './control-plane.ts';
import type { Item, Operator } from './operator.ts';

const JOB_COMPLETES = ['wait', 'job/package-import-migrate', '--for=condition=complete', '--timeout=1m'];
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
  await succeeds(checks, 'the job completes', cluster.kubectl(...JOB_COMPLETES));
  await succeeds(checks, 'every scaling object names a deployment', actAsKeda(operator));
  await succeeds(checks, 'every deployment is available', cluster.kubectl(...ROLLOUT));
  const scaling = cluster.kubectl('wait', 'hpa', '--all', '--for=condition=AbleToScale', '--timeout=1m');
  await succeeds(checks, 'every autoscaler finds the deployment that it scales', scaling);
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

/** Sets the smallest number of pods, as KEDA does where nothing waits. */
async function actAsKeda({ cluster, list }: Operator): Promise<void> {
  for (const { spec } of await list('scaledobjects'))
    await cluster.kubectl(
      'scale',
      `deployment/${spec.scaleTargetRef?.name}`,
      `--replicas=${spec.minReplicaCount}`,
    );
}

/** The profile of the namespace is in force: what it forbids is refused. */
export async function checkRestricted(cluster: Cluster, checks: Checks): Promise<void> {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'forbidden', namespace: 'package-import' },
    spec: { containers: [{ name: 'any', image: 'any', securityContext: { privileged: true } }] },
  };
  const refusal = await refusalOf(cluster.create(pod));
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
  await succeeds(checks, 'the job completes', operator.cluster.kubectl(...JOB_COMPLETES));
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
 * All pods are on one node, and no other node takes any: the disruption budgets must keep half of them. Then the others
 * take them.
 */
export async function checkDrain(operator: Operator, checks: Checks): Promise<void> {
  const { cluster, list } = operator;
  const [drained, ...others] = NODES;
  const drain = (timeout: string) =>
    cluster.kubectl('drain', drained, '--delete-emptydir-data', `--timeout=${timeout}`);
  await cluster.kubectl('cordon', ...others);
  await cluster.kubectl('rollout', 'restart', 'deployment');
  await cluster.kubectl(...ROLLOUT);

  const refusal = await refusalOf(drain('15s'));
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
  await succeeds(checks, 'the node is drained as soon as others take the pods', drain('2m'));
  await succeeds(checks, 'every deployment is available', cluster.kubectl(...ROLLOUT));
  const onNode = (await list('pods')).filter(({ spec }) => spec.nodeName === drained);
  checks.none('no pod is on the node', onNode.map(nameOf));
  await cluster.kubectl('uncordon', drained);
}

const nameOf = ({ metadata }: Item) => metadata.name;

async function succeeds(checks: Checks, name: string, work: Promise<unknown>): Promise<void> {
  const refusal = await refusalOf(work);
  checks.that(name, refusal === '', refusal);
}

/** @returns the error's message; empty when the work succeeds */
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: Error) => error.message,
  );
