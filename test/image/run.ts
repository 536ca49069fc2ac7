/**
 * The images, built and run: `npm run prove -- image`.
 *
 * Needs Docker; or Podman and Buildah, as root, and debootstrap where no registry of images can be reached (Debian: apt-get
 * install podman buildah runc debootstrap). Builds both targets of deploy/Dockerfile, looks into them, and runs migration,
 * gateway and a worker of each role against the parts of `npm start` on free ports. Takes about two minutes, three the first
 * time.
 *
 * Exits with 1 when a check fails, and with 2 when something is missing, which it says.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/index.ts';
import { findTemporalBinary } from '../../src/trial-parts/servers/temporal-binary.ts';
import { type Base, findBase } from '../support/base-image/base-image.ts';
import { createChecks } from '../support/checks.ts';
import { type Engine, findEngine, layersOf, sharesOurNetwork } from '../support/container-engine.ts';
import { type Built, buildImage, REPOSITORIES, type Target } from '../support/images.ts';
import { say } from '../support/script.ts';
import { checkImage } from './static-checks.ts';

const UNAVAILABLE = 2;
const RUNNING = fileURLToPath(new URL('running.ts', import.meta.url));

const engine = await findEngine();
if (typeof engine === 'string') unavailable(engine);
say(`With ${engine.name}`);
const base = await findBase(engine, say);
if (typeof base === 'string') unavailable(base);

const checks = createChecks(say);
try {
  const built = await buildAndCheck(engine, base);
  say('\nat work');
  const code = await runContainers(engine, built);
  say(`\n${checks.passed()} hold of what is in the images, ${checks.failed()} fail`);
  process.exitCode = checks.failed() === 0 && code === 0 ? 0 : 1;
} catch (error) {
  say(`failed: ${(error as Error).message}`);
  process.exitCode = 1;
}

function unavailable(what: string): never {
  say(`No image can be tested here: ${what}.`);
  process.exit(UNAVAILABLE);
}

async function buildAndCheck(engine: Engine, base: Base): Promise<Record<Target, Built>> {
  const all: Partial<Record<Target, Built>> = {};
  for (const target of Object.keys(REPOSITORIES) as Target[]) {
    const built = await buildImage(engine, target, base.tag);
    say(
      `\n${target}: built in ${built.seconds.toFixed(0)} s on ${base.tag}${base.standsIn ? ', a stand-in' : ''}`,
    );
    for (const { size, command } of await layersOf(engine, built.tag))
      say(`  ${size.padStart(8)}  ${shown(command)}`);
    await checkImage(engine, built, base.tag, checks);
    all[target] = built;
  }
  return all as Record<Target, Built>;
}

function shown(command: string): string {
  return command
    .replace(/^\/bin\/sh -c (?:#\(nop\) +)?/, '')
    .replace(/(?<=(?:dir|file):.{8})\S+/, '')
    .slice(0, 90);
}

/** The exit code of running.ts. Where containers share our network, it and they get one that is the loopback alone. */
async function runContainers(
  engine: Engine,
  { service, trials }: Record<Target, Built>,
): Promise<number | null> {
  // It may have to be downloaded or built.
  await findTemporalBinary(loadConfig().cacheDir, say);
  const program = [process.execPath, RUNNING, service.tag, trials.tag];
  const alone = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const [command = '', ...args] = sharesOurNetwork(engine) ? [...alone, ...program] : program;
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}
