/** Containers of our images, as strictly held as deploy/kubernetes holds them. */
import type { Engine } from '../../tools/image/engine.ts';

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
      const child = engine.start(name, [
        ...CONFINED,
        ...(healthcheck ? [] : ['--no-healthcheck']),
        ...Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
        ...Object.entries(volumes).flatMap(([inside, outside]) => ['--volume', `${outside}:${inside}`]),
        ...[tag, ...command],
      ]);
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
      }
      return {
        name,
        output: () => output,
        exited: new Promise((resolve) => child.once('close', (code) => resolve(code))),
        terminate: () => engine.signal(name, 'SIGTERM'),
        inside: (inner) => engine.inside(name, inner),
      };
    },
    async removeAll() {
      for (const name of names.splice(0).reverse()) await engine.remove(name);
    },
  };
}
