/** Rules for every pod of ours: the profile "restricted" of the Pod Security Standards, and limits. */
import type { Container, Resource, SecurityContext } from './resources.ts';
import { podsIn } from './resources.ts';

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
