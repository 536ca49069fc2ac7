/** The container engine: Docker, or Podman with Buildah as root, which need no daemon. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
  labels?: Readonly<Record<string, string>>;
}

export interface Engine {
  /** The command that runs containers. */
  name: 'docker' | 'podman';
  /** Arguments of every container. */
  limits: readonly string[];
  /** @throws Error with the end of the build output */
  build(root: string, options: BuildOptions): Promise<void>;
  /** @returns false when the image neither exists nor can be pulled */
  pull(tag: string): Promise<boolean>;
  /** Runs a container and returns its output. @throws when its exit code is not 0 */
  output(args: readonly string[], input?: string): Promise<string>;
}

/** Limits for Podman: on a machine that limits its processes below its own root, they may not raise the limits. */
const PODMAN_LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];
export const HOST_NETWORK = ['--network', 'host'];

/** @returns the missing program, when no container can run */
export async function findEngine(): Promise<Engine | string> {
  const answers = (command: string, ...args: string[]) => succeeds(command, args, ANSWER_TIMEOUT_MS);
  if (await answers('docker', 'version')) return dockerEngine();
  const missing: string[] = [];
  for (const program of ['podman', 'buildah'])
    if (!(await answers(program, '--version'))) missing.push(program);
  if (process.getuid?.() !== 0) missing.push('root');
  if (missing.length === 0) return podmanEngine();
  return `no Docker daemon answers, and for Podman ${missing.join(' and ')} is missing (Debian, as root: apt-get install podman buildah runc)`;
}

function dockerEngine(): Engine {
  return {
    ...commonEngine('docker', []),
    build(root, options) {
      const labels = Object.entries(options.labels ?? {}).flatMap(([name, value]) => [
        '--label',
        `${name}=${value}`,
      ]);
      return quietly('docker', ['build', ...HOST_NETWORK, ...buildArguments(options), ...labels, '.'], root);
    },
  };
}

function podmanEngine(): Engine {
  return {
    ...commonEngine('podman', PODMAN_LIMITS),
    async build(root, options) {
      // Docker's format: OCI's format has no health checks. Isolation: the host may forbid a container in a
      // container.
      const own = ['build', '--format', 'docker', '--isolation', 'chroot', '--layers', ...PODMAN_LIMITS];
      await quietly('buildah', [...own, ...HOST_NETWORK, ...buildArguments(options), '.'], root);
      await labelled(own, options);
    },
  };
}

function commonEngine(name: Engine['name'], limits: readonly string[]): Omit<Engine, 'build'> {
  return {
    name,
    limits,
    pull: async (tag) =>
      (await succeeds(name, ['pull', '--quiet', tag], PULL_TIMEOUT_MS)) ||
      (await succeeds(name, ['image', 'inspect', tag])),
    output: (args, input) => outputOf(name, ['run', '--rm', '--interactive', ...limits, ...args], input),
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

export function succeeds(command: string, args: readonly string[], timeout?: number): Promise<boolean> {
  return collected(command, args, { timeout, maxBuffer: MAX_OUTPUT_BYTES }).then(
    () => true,
    () => false,
  );
}

export async function outputOf(command: string, args: readonly string[], input = ''): Promise<string> {
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
