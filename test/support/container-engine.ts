/** Images and containers as tests look at them: what building an image does not need of the engine. */
import { execFile, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Engine, HOST_NETWORK, outputOf, succeeds } from '../../tools/image/engine.ts';

export interface Image {
  /** Unpacked size of all layers. */
  sizeBytes: number;
  user: string;
  labels: Record<string, string>;
  hasHealthcheck: boolean;
  /** Digests of the layers, the base's first. */
  layers: string[];
}

interface Inspected {
  Size: number;
  Config: { User?: string; Labels?: Record<string, string>; Healthcheck?: object };
  /** Podman's place of the health check. */
  Healthcheck?: object;
  RootFS: { Layers: string[] };
}

/** Whether `--network host` means the network of this process rather than that of a daemon. */
export function sharesOurNetwork({ name }: Engine): boolean {
  return name === 'podman';
}

export function imageExists({ name }: Engine, tag: string): Promise<boolean> {
  return succeeds(name, ['image', 'inspect', tag]);
}

/** Makes an image of a root file system. */
export async function importTar({ name }: Engine, tag: string, tar: Readable): Promise<void> {
  const running = promisify(execFile)(name, ['import', '--change', 'CMD ["node"]', '-', tag]);
  const { stdin } = running.child;
  if (stdin !== null) await Promise.all([pipeline(tar, stdin), running]);
}

export async function inspectImage({ name }: Engine, tag: string): Promise<Image> {
  const [image] = JSON.parse(await outputOf(name, ['image', 'inspect', tag])) as [Inspected];
  const { Config, Size, RootFS, Healthcheck } = image;
  return {
    sizeBytes: Size,
    user: Config.User ?? '',
    labels: Config.Labels ?? {},
    hasHealthcheck: (Config.Healthcheck ?? Healthcheck) !== undefined,
    layers: RootFS.Layers,
  };
}

/** Size, as the engine writes it, and command of each layer that has a size, the newest first. */
export async function layersOf({ name }: Engine, tag: string): Promise<{ size: string; command: string }[]> {
  const format = ['--no-trunc', '--format', '{{.Size}}\t{{.CreatedBy}}'];
  const lines = (await outputOf(name, ['history', ...format, tag])).trim().split('\n');
  const layers = lines.map((line) => {
    const [size = '', command = ''] = line.split('\t');
    return { size, command };
  });
  return layers.filter(({ size }) => !/^0 ?B?$/.test(size));
}

/** Runs a container in the foreground: the container ends with the process, and both have the same exit code. */
export function startContainer({ name, limits }: Engine, container: string, args: readonly string[]) {
  return spawn(name, ['run', '--rm', '--name', container, ...HOST_NETWORK, ...limits, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a command in a running container and returns its output. @throws when its exit code is not 0 */
export function insideContainer(
  { name }: Engine,
  container: string,
  command: readonly string[],
): Promise<string> {
  return outputOf(name, ['exec', container, ...command]);
}

/** Asks a container to stop. */
export async function terminateContainer({ name }: Engine, container: string): Promise<void> {
  await outputOf(name, ['kill', '--signal', 'SIGTERM', container]);
}

export async function removeContainer({ name }: Engine, container: string): Promise<void> {
  await succeeds(name, ['rm', '--force', container]);
}

/** Whether the image's own health check of a running container succeeds now. */
export async function isHealthy({ name }: Engine, container: string): Promise<boolean> {
  // Podman lets systemd run the check at intervals. Without systemd, nothing runs it.
  if (name === 'podman') return succeeds(name, ['healthcheck', 'run', container]);
  const state = await outputOf(name, ['inspect', '--format', '{{.State.Health.Status}}', container]);
  return state.trim() === 'healthy';
}
