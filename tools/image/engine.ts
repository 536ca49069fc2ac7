/** The container engine: Docker, or Podman with Buildah as root, which need no daemon. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';

const collected = promisify(execFile);
/** The list of an image's files is long. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** An unreachable registry may not answer at all. */
const PULL_TIMEOUT_MS = 60_000;

export interface BuildOptions {
  target: string;
  tag: string;
  args: Readonly<Record<string, string>>;
  labels?: Readonly<Record<string, string>>;
}

/** The metadata of an image that callers use. */
export interface Image {
  id: string;
  /** Unpacked size of all layers. */
  sizeBytes: number;
  user: string;
  env: string[];
  labels: Record<string, string>;
  hasHealthcheck: boolean;
  /** Digests of the layers, the base's first. */
  layers: string[];
}

export interface Engine {
  name: 'docker' | 'podman';
  version: string;
  /** Whether `--network host` means the network of this process rather than that of a daemon. */
  sharesOurNetwork: boolean;
  /** @throws Error with the end of the build output */
  build(root: string, options: BuildOptions): Promise<void>;
  exists(tag: string): Promise<boolean>;
  /** @returns false when the image neither exists nor can be pulled */
  pull(tag: string): Promise<boolean>;
  /** Makes an image of a root file system. */
  importTar(tag: string, tar: Readable): Promise<void>;
  inspect(tag: string): Promise<Image>;
  /** Size, as the engine writes it, and command of each layer that has a size, the newest first. */
  layers(tag: string): Promise<{ size: string; command: string }[]>;
  /** Runs a container and returns its output. @throws when its exit code is not 0 */
  output(args: readonly string[], input?: string): Promise<string>;
  /** Runs a container in the foreground: the container ends with the process, and both have the same exit code. */
  start(name: string, args: readonly string[]): ChildProcess;
  /** Runs a command in a running container and returns its output. @throws when its exit code is not 0 */
  inside(name: string, command: readonly string[]): Promise<string>;
  signal(name: string, signal: NodeJS.Signals): Promise<void>;
  /** Whether the image's own health check of a running container succeeds now. */
  isHealthy(name: string): Promise<boolean>;
  remove(name: string): Promise<void>;
}

/** Limits for Podman: on a machine that limits its processes below its own root, they may not raise the limits. */
const PODMAN_LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
const HOST_NETWORK = ['--network', 'host'];

/** @returns the missing program, when no container can run */
export async function findEngine(): Promise<Engine | string> {
  const docker = await versionOf('docker', ['version', '--format', '{{.Server.Version}}']);
  if (docker !== null) return dockerEngine(docker);
  const podman = await versionOf('podman', ['--version']);
  const buildah = await versionOf('buildah', ['--version']);
  const isRoot = process.getuid?.() === 0;
  if (podman !== null && buildah !== null && isRoot) return podmanEngine(podman);
  const missing = Object.entries({ podman: podman === null, buildah: buildah === null, root: !isRoot })
    .filter(([, isMissing]) => isMissing)
    .map(([name]) => name);
  return `no Docker daemon answers, and for Podman ${missing.join(' and ')} is missing (Debian, as root: apt-get install podman buildah runc)`;
}

async function versionOf(command: string, args: string[]): Promise<string | null> {
  return collected(command, args, { timeout: 20_000 }).then(
    ({ stdout }) => /\d+(?:\.\d+)+/.exec(stdout)?.[0] ?? null,
    () => null,
  );
}

function dockerEngine(version: string): Engine {
  return {
    ...commonEngine('docker', []),
    name: 'docker',
    version,
    sharesOurNetwork: false,
    build(root, options) {
      const labels = Object.entries(options.labels ?? {}).flatMap(([name, value]) => [
        '--label',
        `${name}=${value}`,
      ]);
      return quietly('docker', ['build', ...HOST_NETWORK, ...buildArguments(options), ...labels, '.'], root);
    },
    async isHealthy(name) {
      const state = await outputOf('docker', ['inspect', '--format', '{{.State.Health.Status}}', name]);
      return state.trim() === 'healthy';
    },
  };
}

function podmanEngine(version: string): Engine {
  return {
    ...commonEngine('podman', PODMAN_LIMITS),
    name: 'podman',
    version,
    sharesOurNetwork: true,
    async build(root, options) {
      // Docker's format: OCI's format has no health checks. Isolation: the host may forbid a container in a
      // container.
      const own = ['build', '--format', 'docker', '--isolation', 'chroot', '--layers', ...PODMAN_LIMITS];
      await quietly('buildah', [...own, ...HOST_NETWORK, ...buildArguments(options), '.'], root);
      await labelled(own, options);
    },
    // Podman lets systemd run the check at intervals. Without systemd, nothing runs it.
    isHealthy: (name) => succeeds('podman', ['healthcheck', 'run', name]),
  };
}

/** Labels in a separate build: for the same layers, Buildah reuses its image with the labels of the previous build. */
async function labelled(build: readonly string[], { tag, labels = {} }: BuildOptions): Promise<void> {
  const lines = Object.entries(labels).map(([name, value]) => `LABEL ${name}="${value}"`);
  if (lines.length === 0) return;
  const context = await mkdtemp(join(tmpdir(), 'package-import-labels-'));
  try {
    await writeFile(join(context, 'Dockerfile'), [`FROM ${tag}`, ...lines].join('\n'));
    await quietly('buildah', [...build, '--tag', tag, '.'], context);
  } finally {
    await rm(context, { recursive: true });
  }
}

function buildArguments({ target, tag, args }: BuildOptions): string[] {
  const given = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
  return ['--file', 'deploy/Dockerfile', '--target', target, '--tag', tag, ...given];
}

interface Inspected {
  Id: string;
  Size: number;
  Config: { User?: string; Env?: string[]; Labels?: Record<string, string>; Healthcheck?: object };
  /** Podman's place of the health check. */
  Healthcheck?: object;
  RootFS: { Layers: string[] };
}

function commonEngine(command: string, limits: readonly string[]) {
  return {
    exists: (tag: string) => succeeds(command, ['image', 'inspect', tag]),
    pull: async (tag: string) =>
      (await succeeds(command, ['pull', '--quiet', tag], PULL_TIMEOUT_MS)) ||
      (await succeeds(command, ['image', 'inspect', tag])),
    async importTar(tag: string, tar: Readable) {
      const running = collected(command, ['import', '--change', 'CMD ["node"]', '-', tag]);
      const { stdin } = running.child;
      if (stdin !== null) await Promise.all([pipeline(tar, stdin), running]);
    },
    async inspect(tag: string): Promise<Image> {
      const [image] = JSON.parse(await outputOf(command, ['image', 'inspect', tag])) as [Inspected];
      const { Config, Id, Size, RootFS, Healthcheck } = image;
      return {
        id: Id.replace(/^(?:sha256:)?/, 'sha256:'),
        sizeBytes: Size,
        user: Config.User ?? '',
        env: Config.Env ?? [],
        labels: Config.Labels ?? {},
        hasHealthcheck: (Config.Healthcheck ?? Healthcheck) !== undefined,
        layers: RootFS.Layers,
      };
    },
    async layers(tag: string) {
      const format = ['--no-trunc', '--format', '{{.Size}}\t{{.CreatedBy}}'];
      const lines = (await outputOf(command, ['history', ...format, tag])).trim().split('\n');
      const layers = lines.map((line) => {
        const [size = '', created = ''] = line.split('\t');
        return { size, command: created };
      });
      return layers.filter(({ size }) => !/^0 ?B?$/.test(size));
    },
    output: (args: readonly string[], input?: string) =>
      outputOf(command, ['run', '--rm', '--interactive', ...limits, ...args], input),
    start: (name: string, args: readonly string[]) =>
      spawn(command, ['run', '--rm', '--name', name, ...HOST_NETWORK, ...limits, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    inside: (name: string, inner: readonly string[]) => outputOf(command, ['exec', name, ...inner]),
    async signal(name: string, signal: NodeJS.Signals) {
      await outputOf(command, ['kill', '--signal', signal, name]);
    },
    async remove(name: string) {
      await collected(command, ['rm', '--force', name]).catch(() => null);
    },
  };
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
