/**
 * A Kubernetes cluster on loopback: etcd, the API server, the controllers and the scheduler of Kubernetes itself, and
 * nodes that kwok pretends. Pods are admitted, scheduled, evicted and replaced as in any cluster, and no container of
 * them runs.
 */
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stopProcess } from '../../src/trial-parts/servers/local-server.ts';
import type { CommandResult } from '../support/child-output.ts';
import { atEnd } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { shell } from '../support/page-commands.ts';
import type { KubernetesPrograms } from './programs.ts';

const execute = promisify(execFile);
/** Output limit: lists of resources as JSON. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const HOST = '127.0.0.1';
/** An address for documentation (RFC 5737). The API server wants one that is not loopback, and nothing is sent to it. */
const ADVERTISED = '192.0.2.1';
export const NODES = ['node-0', 'node-1', 'node-2'] as const;

export interface Cluster {
  /** Runs commands in a shell in the cluster's directory, where `kubectl` reaches this cluster. */
  shell(script: string): Promise<CommandResult>;
  /** Runs kubectl in the namespace of the service. @returns its output @throws Error with its errors, when it fails */
  kubectl(...args: readonly string[]): Promise<string>;
  /** Creates resources. */
  create(...resources: readonly object[]): Promise<void>;
}

/** @param directory for its data and logs */
export async function startCluster(programs: KubernetesPrograms, directory: string): Promise<Cluster> {
  const [client = 0, peer = 0, api = 0, controllers = 0, scheduler = 0] = await freePorts(5);
  const start = (name: string, program: string, flags: Readonly<Record<string, string | number>>) =>
    startProgram(join(directory, `${name}.log`), program, flags);
  const kubeconfig = join(directory, 'kubeconfig');
  const accountKey = join(directory, 'service-account.pem');
  const tokens = join(directory, 'tokens.csv');
  const token = randomUUID();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(accountKey, privateKey.export({ type: 'pkcs1', format: 'pem' }));
  await writeFile(tokens, `${token},admin,admin,system:masters\n`);
  await writeFile(kubeconfig, JSON.stringify(kubeconfigOf(`https://${HOST}:${api}`, directory, token)));

  await start('etcd', programs.etcd, {
    'data-dir': join(directory, 'etcd'),
    'listen-client-urls': `http://${HOST}:${client}`,
    'advertise-client-urls': `http://${HOST}:${client}`,
    'listen-peer-urls': `http://${HOST}:${peer}`,
    'initial-advertise-peer-urls': `http://${HOST}:${peer}`,
    'initial-cluster': `default=http://${HOST}:${peer}`,
  });
  await start('kube-apiserver', programs.apiServer, {
    'etcd-servers': `http://${HOST}:${client}`,
    'bind-address': HOST,
    'secure-port': api,
    'advertise-address': ADVERTISED,
    'endpoint-reconciler-type': 'none',
    'cert-dir': directory,
    'token-auth-file': tokens,
    'authorization-mode': 'Node,RBAC',
    // As on most clusters: the namespace's own profile must refuse a privileged pod.
    'allow-privileged': 'true',
    'service-cluster-ip-range': '10.0.0.0/24',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': accountKey,
    'service-account-signing-key-file': accountKey,
  });
  const cluster = clusterOf(programs.kubectl, kubeconfig, directory);
  await eventually(() => cluster.kubectl('get', '--raw', '/readyz').catch(() => false), 120_000);

  const joined = { kubeconfig, 'bind-address': HOST, 'leader-elect': 'false' };
  await start('kube-controller-manager', programs.controllerManager, {
    ...joined,
    'secure-port': controllers,
    'service-account-private-key-file': accountKey,
    'root-ca-file': join(directory, 'apiserver.crt'),
  });
  await start('kube-scheduler', programs.scheduler, { ...joined, 'secure-port': scheduler });
  await start('kwok', programs.kwok, {
    kubeconfig,
    'manage-all-nodes': 'true',
    'node-lease-duration-seconds': 40,
    config: programs.stages.join(','),
  });
  await cluster.create(...NODES.map(nodeOf));
  await cluster.kubectl('wait', 'nodes', '--all', '--for=condition=Ready', '--timeout=2m');
  return cluster;
}

async function startProgram(
  logFile: string,
  program: string,
  flags: Readonly<Record<string, string | number>>,
): Promise<void> {
  const log = await open(logFile, 'w');
  const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(program, args, { stdio: ['ignore', log.fd, log.fd] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  atEnd(async () => {
    await stopProcess(child, exited);
    await log.close();
  });
}

/** JSON is valid YAML. */
function kubeconfigOf(server: string, directory: string, token: string) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [
      { name: 'here', cluster: { server, 'certificate-authority': join(directory, 'apiserver.crt') } },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'here', context: { cluster: 'here', user: 'admin' } }],
  };
}

const CAPACITY = { cpu: '16', memory: '64Gi', 'ephemeral-storage': '500Gi', pods: '110' };

const nodeOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
  status: { allocatable: CAPACITY, capacity: CAPACITY },
});

function clusterOf(program: string, kubeconfig: string, home: string): Cluster {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: home, KUBECONFIG: kubeconfig, KUBECTL: program };
  async function kubectl(...args: readonly string[]): Promise<string> {
    const options = { env, maxBuffer: MAX_OUTPUT_BYTES };
    return (await execute(program, ['--namespace', 'package-import', ...args], options)).stdout;
  }
  return {
    shell: (script) => shell(`kubectl() { "$KUBECTL" "$@"; }\n${script}`, env, { cwd: home }),
    kubectl,
    async create(...resources) {
      const file = join(home, `${randomUUID()}.json`);
      await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: resources }));
      await kubectl('create', '--filename', file);
    },
  };
}
