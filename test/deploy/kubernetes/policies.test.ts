/** Every pod as restricted as the namespace demands; and each rule can be broken. */
import { expect, it } from 'vitest';
import { violationsIn } from './policies.ts';
import { containersOf, FOLDER, podsIn, type Resource, resourcesIn } from './resources.ts';

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
