/** Containers of our images, as strictly held as deploy/kubernetes holds them, and checks of how they are held. */

import { randomUUID } from 'node:crypto';
import type { Checks } from '../support/checks.ts';
import { collectText } from '../support/child-output.ts';
import {
  type Engine,
  insideContainer,
  isHealthy,
  removeContainer,
  startContainer,
  terminateContainer,
} from '../support/container-engine.ts';
import { eventually } from '../support/eventually.ts';

export interface Container {
  name: string;
  /** Everything that it has written, logs included. */
  output(): string;
  /** Its exit code. */
  exited: Promise<number | null>;
  /** Asks it to stop. */
  terminate(): Promise<void>;
  /** Returns the output of a command in the container. */
  inside(command: readonly string[]): Promise<string>;
}

export interface ContainerOptions {
  tag: string;
  /** By default the image's own. */
  command?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Directories of this machine, by where they are in the container. */
  volumes?: Readonly<Record<string, string>>;
  /** The image's check is the gateway's. */
  healthcheck?: boolean;
}

/** Read-only, without any privilege, and with no way to get one; the user is the image's. */
const CONFINED = [
  '--read-only',
  '--tmpfs',
  '/tmp',
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
];

export interface Containers {
  start(part: string, options: ContainerOptions): Container;
  /** Ends and removes all that are left. */
  removeAll(): Promise<void>;
}

export function createContainers(engine: Engine): Containers {
  const names: string[] = [];
  return {
    start(part, { tag, command = [], env, volumes = {}, healthcheck = false }) {
      const name = `package-import-test-${process.pid}-${names.length}-${part}`;
      names.push(name);
      const child = startContainer(engine, name, [
        ...CONFINED,
        ...(healthcheck ? [] : ['--no-healthcheck']),
        ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
        ...Object.entries(volumes).flatMap(([inside, outside]) => ['--volume', `${outside}:${inside}`]),
        ...[tag, ...command],
      ]);
      return {
        name,
        output: collectText(child.stdout, child.stderr),
        exited: new Promise((resolve) => child.once('close', (code) => resolve(code))),
        terminate: () => terminateContainer(engine, name),
        inside: (inner) => insideContainer(engine, name, inner),
      };
    },
    async removeAll() {
      for (const name of names.splice(0).reverse()) await removeContainer(engine, name);
    },
  };
}

/** Status of process 1 (proc_pid_status(5)). */
const STATUS = {
  Uid: '1000\t1000\t1000\t1000',
  Gid: '1000\t1000\t1000\t1000',
  CapEff: '0000000000000000',
  CapPrm: '0000000000000000',
  CapBnd: '0000000000000000',
  NoNewPrivs: '1',
};

const PLACES = ['/app/src', '/app/.cache', '/etc', '/data', '/home/node'];

/** @param alone whether no network but the loopback is there */
export async function checkConfinement(
  { name, inside }: Container,
  alone: boolean,
  checks: Checks,
): Promise<void> {
  const part = name.replace(/^.*-\d+-/, '');
  const status = await inside(['cat', '/proc/1/status']);
  const shown = Object.keys(STATUS).map((key) => [
    key,
    new RegExp(`^${key}:\\t(.+)$`, 'm').exec(status)?.[1],
  ]);
  const wrong = shown.filter(([key, value]) => STATUS[key as keyof typeof STATUS] !== value);
  checks.none(`${part}: has no privilege`, wrong.map(String));
  const attempt = PLACES.map((place) => `touch ${place}/${randomUUID()} 2>/dev/null && echo ${place}`).join(
    '; ',
  );
  const written = await inside(['sh', '-c', `${attempt}; true`]);
  checks.none(`${part}: can write nowhere but to its volume and /tmp`, written.split('\n').filter(Boolean));
  if (!alone) return;
  const interfaces = (await inside(['ls', '/sys/class/net'])).split(/\s+/).filter(Boolean);
  checks.none(
    `${part}: has no network but the loopback`,
    interfaces.filter((one) => one !== 'lo'),
  );
}

/** The image's check succeeds for a gateway, and for nothing else. */
export async function checkHealth(
  engine: Engine,
  containers: Containers,
  gateway: Container,
  tag: string,
  checks: Checks,
): Promise<void> {
  checks.that(
    'the health check succeeds for the gateway',
    await eventually(() => isHealthy(engine, gateway.name)).catch(() => false),
  );
  const idle = containers.start('idle', {
    tag,
    env: { HEALTH_PORT: '1' },
    healthcheck: true,
    command: ['node', '--eval', 'console.log("runs"); setInterval(() => {}, 60_000)'],
  });
  await eventually(async () => idle.output().includes('runs'));
  checks.that('and fails where none answers', !(await isHealthy(engine, idle.name)));
  await idle.terminate();
  await idle.exited;
}
