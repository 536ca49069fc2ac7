/**
 * The programs of a Kubernetes cluster without containers. No npm package contains them: Go builds them, once, in some
 * ten minutes, from the modules that their projects publish.
 */
import { readFile } from 'node:fs/promises';
import { findGoModuleFile, goProgram } from '../support/go-tool.ts';
import { Unavailable } from '../support/script.ts';

const KUBERNETES_VERSION = 'v1.37.2';
const ETCD_VERSION = 'v3.7.3';
/** Pretends to be the kubelet of any number of nodes. */
const KWOK_VERSION = 'v0.8.0';
const STAGES = [
  'node/fast/node-initialize',
  'node/heartbeat-with-lease/node-heartbeat-with-lease',
  'pod/general/pod-create',
  'pod/general/pod-init-container-running',
  'pod/general/pod-init-container-completed',
  'pod/general/pod-ready',
  'pod/general/pod-complete',
  'pod/fast/pod-delete',
];

export interface KubernetesPrograms {
  etcd: string;
  apiServer: string;
  controllerManager: string;
  scheduler: string;
  kubectl: string;
  kwok: string;
  /**
   * Files of kwok's own that say how its nodes and pods behave: a pod takes some seconds to become ready, and ends at
   * once.
   */
  stages: string[];
}

/** @throws Unavailable without the programs and without Go */
export async function kubernetesPrograms(say: (line: string) => void): Promise<KubernetesPrograms> {
  const replace = await stagingModules();
  const ofKubernetes = (name: string) =>
    goProgram(
      `${name}-${KUBERNETES_VERSION}`,
      { package: `k8s.io/kubernetes/cmd/${name}`, version: KUBERNETES_VERSION, replace },
      say,
    );
  const etcd = { package: 'go.etcd.io/etcd/server/v3', version: ETCD_VERSION };
  const kwok = { package: 'sigs.k8s.io/kwok/cmd/kwok', version: KWOK_VERSION };
  return {
    etcd: await goProgram(`etcd-${ETCD_VERSION}`, etcd, say),
    apiServer: await ofKubernetes('kube-apiserver'),
    controllerManager: await ofKubernetes('kube-controller-manager'),
    scheduler: await ofKubernetes('kube-scheduler'),
    kubectl: await ofKubernetes('kubectl'),
    kwok: await goProgram(`kwok-${KWOK_VERSION}`, kwok, say),
    stages: await Promise.all(
      STAGES.map((name) => fileOf(`sigs.k8s.io/kwok@${KWOK_VERSION}`, `kustomize/stage/${name}.yaml`)),
    ),
  };
}

/** The parts of Kubernetes that it takes from its own folder `staging`, which are published as modules of their own. */
async function stagingModules(): Promise<string[]> {
  const text = await readFile(await fileOf(`k8s.io/kubernetes@${KUBERNETES_VERSION}`, 'go.mod'), 'utf8');
  const version = KUBERNETES_VERSION.replace('v1.', 'v0.');
  return [...text.matchAll(/^\s*(\S+) => \.\/staging\//gm)].map(([, path]) => `${path}=${path}@${version}`);
}

/** @throws Unavailable */
async function fileOf(module: string, path: string): Promise<string> {
  const file = await findGoModuleFile(module, path);
  if (file.found === null) throw new Unavailable(file.reason);
  return file.found;
}
