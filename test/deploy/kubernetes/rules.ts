/**
 * Rules for the pods of a deployment: connections to PostgreSQL, and the profile "restricted" of the Pod Security
 * Standards with limits.
 */
import { loadConfig } from '../../../src/config/index.ts';
import { type Container, environmentOf, podsIn, type Resource, type SecurityContext } from './resources.ts';

/** `max_connections` of PostgreSQL by default, without those that are kept for superusers. */
export const POSTGRESQL_CONNECTIONS = 100 - 3;

/** While pods are replaced, those that end are beside those that have begun. */
const GENERATIONS = 2;

/** The job: one that migrates, one that looks. */
const MIGRATION = 2;

/** @param resources with the secret, since configurations are read with it */
export function connectionsAtMost(resources: readonly Resource[]): number {
  const deployments = resources.filter(({ kind }) => kind === 'Deployment');
  return deployments.reduce((sum, { metadata, spec }) => {
    const [container] = spec?.template?.spec.containers ?? [];
    if (!container) throw new Error(`${metadata.name} has no container`);
    const { database } = loadConfig(environmentOf(container, resources));
    return sum + GENERATIONS * podsAtMost(metadata.name, resources) * database.poolSize;
  }, MIGRATION);
}

/** By its autoscaler where it has one. */
export function podsAtMost(deployment: string, resources: readonly Resource[]): number {
  const scaler = resources.find(({ spec }) => spec?.scaleTargetRef?.name === deployment)?.spec;
  const own = resources.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === deployment,
  )?.spec;
  const most = scaler?.maxReplicas ?? scaler?.maxReplicaCount ?? own?.replicas;
  if (most === undefined) throw new Error(`nothing says how many pods ${deployment} has`);
  return most;
}

type Rule = readonly [what: string, holds: boolean];

const LIMITED = ['cpu', 'memory', 'ephemeral-storage'];

/** `Deployment gateway: gateway: …`, one line for each rule that is broken. */
export function violationsIn(resources: readonly Resource[]): string[] {
  return podsIn(resources).flatMap(({ name, template: { spec } }) => {
    const { containers, initContainers = [], volumes = [], securityContext = {} } = spec;
    const ofPod: Rule[] = [
      ['has a token of the cluster', spec.automountServiceAccountToken === false],
      ['shares something of its node', !spec.hostNetwork && !spec.hostPID && !spec.hostIPC],
      ['mounts a path of its node', volumes.every(({ hostPath }) => hostPath === undefined)],
    ];
    const ofContainers = [...initContainers, ...containers].flatMap((container) =>
      broken(rulesOf(container, securityContext)).map((what) => `${container.name}: ${what}`),
    );
    return [...broken(ofPod), ...ofContainers].map((what) => `${name}: ${what}`);
  });
}

function rulesOf(container: Container, ofPod: SecurityContext): Rule[] {
  const own = container.securityContext ?? {};
  const context = { ...ofPod, ...own };
  const { requests = {}, limits = {} } = container.resources ?? {};
  return [
    ['may be root', context.runAsNonRoot === true && (context.runAsUser ?? 0) > 0],
    ['is privileged', own.privileged !== true && own.allowPrivilegeEscalation === false],
    ['keeps capabilities', own.capabilities?.drop?.includes('ALL') === true && !own.capabilities.add],
    ['can write on its root', own.readOnlyRootFilesystem === true],
    ['has no seccomp profile', context.seccompProfile?.type === 'RuntimeDefault'],
    ['requests nothing', Boolean(requests.cpu && requests.memory)],
    ['is not limited', LIMITED.every((resource) => limits[resource])],
  ];
}

const broken = (rules: readonly Rule[]) => rules.filter(([, holds]) => !holds).map(([what]) => what);
