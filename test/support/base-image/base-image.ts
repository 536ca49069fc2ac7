/** The base image of the service's images: that of the Dockerfile, or a stand-in if no image registry can be reached. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Engine, imageExists, importTar } from '../container-engine.ts';
import { baseOfDockerfile } from '../images.ts';
import { Unavailable } from '../script.ts';

const SCRIPT = fileURLToPath(new URL('stand-in-base.sh', import.meta.url));
/** The npm version of Node 24. */
const NPM_VERSION = '11.21.2';

export interface Base {
  tag: string;
  standsIn: boolean;
}

/**
 * NODE_IMAGE if it is set, else the Dockerfile's. A stand-in is built once, in a minute, and cached by the engine.
 *
 * @throws Unavailable with the missing part, if there is no base image and none can be built
 */
export async function findBase(engine: Engine, say: (line: string) => void): Promise<Base> {
  const wanted = process.env.NODE_IMAGE ?? (await baseOfDockerfile());
  if (await engine.pull(wanted)) return { tag: wanted, standsIn: false };
  say(`${wanted} cannot be pulled; taking a stand-in`);
  const version = createHash('sha256')
    .update(await readFile(SCRIPT))
    .update(NPM_VERSION)
    .update(process.version);
  const tag = `localhost/package-import-stand-in:${version.digest('hex').slice(0, 12)}`;
  if (await imageExists(engine, tag)) return { tag, standsIn: true };
  if (process.getuid?.() !== 0)
    throw new Unavailable(`${wanted} cannot be pulled, and only root can make a stand-in for it`);
  if (!isThere('debootstrap'))
    throw new Unavailable(
      `${wanted} cannot be pulled, and debootstrap for a stand-in is missing (Debian, as root: apt-get install debootstrap)`,
    );
  say('Making the stand-in (about a minute) …');
  await makeStandIn(engine, tag);
  return { tag, standsIn: true };
}

async function makeStandIn(engine: Engine, tag: string): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'package-import-base-'));
  const script = spawn('nice', [SCRIPT, directory, process.execPath, NPM_VERSION], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  script.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed = (printed + text).slice(-2000);
  });
  const ended = new Promise<void>((resolve, reject) => {
    script.once('error', reject);
    script.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`The stand-in was not made:\n${printed}`)),
    );
  });
  try {
    const imported = await Promise.allSettled([importTar(engine, tag, script.stdout), ended]);
    for (const one of imported) if (one.status === 'rejected') throw one.reason;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function isThere(command: string): boolean {
  try {
    execFileSync('which', [command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
