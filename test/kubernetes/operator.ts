/** An operator, who executes the commands of deploy/kubernetes.md and lists what the cluster then has. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandResult } from '../support/child-output.ts';
import { readCommands } from '../support/page-commands.ts';
import type { Cluster } from './control-plane.ts';

const PAGE = 'deploy/kubernetes.md';
/** The overlay in the commands of the page. */
const OVERLAY_OF_PAGE = 'deploy/kubernetes/overlays/small';

export interface Item {
  metadata: { name: string; deletionTimestamp?: string };
  spec: {
    replicas?: number;
    nodeName?: string;
    containers?: { image: string }[];
    scaleTargetRef?: { name: string };
    minReplicaCount?: number;
  };
  status: {
    phase?: string;
    availableReplicas?: number;
  };
}

export interface Operator {
  cluster: Cluster;
  install(overlay: string): Promise<CommandResult>;
  /** Applies another version without the page's first command, which deletes the job. */
  apply(overlay: string, version: string): Promise<CommandResult>;
  /** @returns with the numbers of available pods that were seen meanwhile, by deployment */
  upgrade(
    overlay: string,
    version: string,
  ): Promise<CommandResult & { available: ReadonlyMap<string, number[]> }>;
  list(kind: string): Promise<Item[]>;
}

/** @param directory with `deploy` and `secret.yaml`, as the page has them */
export async function createOperator(cluster: Cluster, directory: string): Promise<Operator> {
  const blocks = await readCommands(PAGE);
  const block = (name: string, overlay: string) => {
    const commands = blocks.get(name);
    if (!commands?.includes(OVERLAY_OF_PAGE)) throw new Error(`${PAGE} has no block ${name} for an overlay`);
    return commands.replaceAll(OVERLAY_OF_PAGE, overlay);
  };

  /** An overlay of one's own, as the page describes it. @returns its folder */
  async function ownOverlay(overlay: string, version: string): Promise<string> {
    const folder = `own-${overlay}-${version}`;
    await mkdir(join(directory, folder), { recursive: true });
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [`../deploy/kubernetes/overlays/${overlay}`],
      images: [
        { name: 'package-import', newName: 'registry.company.example/package-import', newTag: version },
      ],
    };
    await writeFile(join(directory, folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return folder;
  }

  async function list(kind: string): Promise<Item[]> {
    const printed = await cluster.kubectl('get', kind, '--output=json');
    return (JSON.parse(printed) as { items: Item[] }).items;
  }

  return {
    cluster,
    list,
    install: (overlay) => cluster.shell(block('install', `deploy/kubernetes/overlays/${overlay}`)),
    async apply(overlay, version) {
      return cluster.shell(`kubectl apply --kustomize ${await ownOverlay(overlay, version)}`);
    },
    async upgrade(overlay, version) {
      const seen = `available-${overlay}-${version}`;
      const result = await cluster.shell(
        `${watchInto(seen)}\n${block('upgrade', await ownOverlay(overlay, version))}`,
      );
      return { ...result, available: countsIn(await readFile(join(directory, seen), 'utf8')) };
    },
  };
}

/** Records the available pods of each deployment until the shell ends. */
const watchInto = (file: string) => `"$KUBECTL" --namespace package-import get deployments --watch \
  --output=jsonpath='{.metadata.name} {.status.availableReplicas}{"\\n"}' > ${file} &
trap "kill $!" EXIT`;

/** Without a number there are none. */
function countsIn(text: string): Map<string, number[]> {
  const counts = new Map<string, number[]>();
  for (const [, name = '', count] of text.matchAll(/^(\S+) ?(\d*)$/gm))
    counts.set(name, [...(counts.get(name) ?? []), Number(count)]);
  return counts;
}
