/** The container engine: Docker, or Podman with Buildah as root, which need no daemon. */
import { execFile } from 'node:child_process';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Unavailable } from './script.ts';

const collected = promisify(execFile);
/** The list of an image's files is long. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** An unreachable registry may not answer at all. */
const PULL_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 20_000;

interface BuildOptions {
  target: string;
  tag: string;
  args: Readonly<Record<string, string>>;
}

export interface Engine {
  /** The command that runs containers. */
  name: 'docker' | 'podman';
  /** @throws Error with the end of the build output */
  build(root: string, options: BuildOptions): Promise<void>;
  /** @returns false when the image neither exists nor can be pulled */
  pull(tag: string): Promise<boolean>;
  /** Runs a container and returns its output. @throws when its exit code is not 0 */
  output(args: readonly string[], input?: string): Promise<string>;
}

/** Limits for Podman: on a machine that limits its processes below its own root, they may not raise the limits. */
const PODMAN_LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
/** Docker's format: OCI's format has no health checks. Isolation: the host may forbid a container in a container. */
const BUILDAH = [
  ...['buildah', 'build', '--format', 'docker', '--isolation', 'chroot', '--layers'],
  ...PODMAN_LIMITS,
];
const HOST_NETWORK = ['--network', 'host'];

/** @throws Unavailable with the missing programs, when no container can run */
export async function findEngine(): Promise<Engine> {
  const answers = (command: string, ...args: string[]) => succeeds(command, args, ANSWER_TIMEOUT_MS);
  if (await answers('docker', 'version')) return engineOf('docker', [], ['docker', 'build']);
  const missing: string[] = [];
  for (const program of ['podman', 'buildah'])
    if (!(await answers(program, '--version'))) missing.push(program);
  if (process.getuid?.() !== 0) missing.push('root');
  if (missing.length === 0) return engineOf('podman', PODMAN_LIMITS, BUILDAH);
  throw new Unavailable(
    `no Docker daemon answers, and for Podman ${missing.join(' and ')} is missing (Debian, as root: apt-get install podman buildah runc)`,
  );
}

function engineOf(name: Engine['name'], limits: readonly string[], build: readonly string[]): Engine {
  const [builder = '', ...options] = build;
  return {
    name,
    build: (root, of) => quietly(builder, [...options, ...HOST_NETWORK, ...buildArguments(of), '.'], root),
    pull: async (tag) =>
      (await succeeds(name, ['pull', '--quiet', tag], PULL_TIMEOUT_MS)) ||
      (await succeeds(name, ['image', 'inspect', tag])),
    output: (args, input) => outputOf(name, ['run', '--rm', '--interactive', ...limits, ...args], input),
  };
}

function buildArguments({ target, tag, args }: BuildOptions): string[] {
  const given = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  return ['--file', 'deploy/Dockerfile', '--target', target, '--tag', tag, ...given];
}

function succeeds(command: string, args: readonly string[], timeout?: number): Promise<boolean> {
  return collected(command, args, { timeout, maxBuffer: MAX_OUTPUT_BYTES }).then(
    () => true,
    () => false,
  );
}

async function outputOf(command: string, args: readonly string[], input = ''): Promise<string> {
  const running = collected(command, args, { maxBuffer: MAX_OUTPUT_BYTES });
  running.child.stdin?.end(input);
  return (await running).stdout;
}

async function quietly(command: string, args: readonly string[], cwd: string): Promise<void> {
  await collected(command, args, { cwd, maxBuffer: MAX_OUTPUT_BYTES }).catch(
    (error: Error & { stdout?: string; stderr?: string }) => {
      const printed = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().split('\n').slice(-20).join('\n');
      throw new Error(`${command} build failed:\n${printed}`);
    },
  );
}

interface Image {
  /** Unpacked size of all layers. */
  sizeBytes: number;
  user: string;
  /** The command of its health check, for a shell; empty without one. */
  healthcheck: string;
  /** Digests of the layers, the base's first. */
  layers: string[];
}

interface Inspected {
  Size: number;
  Config: { User?: string; Healthcheck?: { Test: string[] } };
  /** Podman's place of the health check. */
  Healthcheck?: { Test: string[] };
  RootFS: { Layers: string[] };
}

export function imageExists({ name }: Engine, tag: string): Promise<boolean> {
  return succeeds(name, ['image', 'inspect', tag]);
}

/** Makes an image of a root file system. */
export async function importTar({ name }: Engine, tag: string, tar: Readable): Promise<void> {
  const running = collected(name, ['import', '--change', 'CMD ["node"]', '-', tag]);
  const { stdin } = running.child;
  if (stdin !== null) await Promise.all([pipeline(tar, stdin), running]);
}

export async function inspectImage({ name }: Engine, tag: string): Promise<Image> {
  const [image] = JSON.parse(await outputOf(name, ['image', 'inspect', tag])) as [Inspected];
  const { Config, Size, RootFS, Healthcheck } = image;
  return {
    sizeBytes: Size,
    user: Config.User ?? '',
    // In front of the command is `CMD-SHELL`.
    healthcheck: (Config.Healthcheck ?? Healthcheck)?.Test[1] ?? '',
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
