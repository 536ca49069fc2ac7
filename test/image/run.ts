/**
 * The images, built and searched: `npm run prove -- image`.
 *
 * Needs Docker; or Podman and Buildah, as root, and debootstrap where no registry of images can be reached (Debian:
 * apt-get install podman buildah runc debootstrap). Builds both targets of deploy/Dockerfile, and looks into them.
 * Takes about a minute, two the first time. `npm run prove -- compose` runs the same images.
 *
 * Exits with 1 when a check fails, and with 2 when something is missing, which it says.
 */
import { type Base, findBase } from '../support/base-image/base-image.ts';
import { type Checks, createChecks } from '../support/checks.ts';
import { type Engine, findEngine, layersOf } from '../support/container-engine.ts';
import { buildImage, REPOSITORIES, type Target } from '../support/images.ts';
import { runScript, say } from '../support/script.ts';
import { checkImage } from './static-checks.ts';

await runScript(async () => {
  const engine = await findEngine();
  say(`With ${engine.name}`);
  const checks = createChecks(say);
  await buildAndCheck(engine, await findBase(engine, say), checks);
  say(`\n${checks.passed()} hold, ${checks.failed()} fail`);
  return checks.failed();
});

async function buildAndCheck(engine: Engine, base: Base, checks: Checks): Promise<void> {
  for (const target of Object.keys(REPOSITORIES) as Target[]) {
    const built = await buildImage(engine, target, base.tag);
    say(
      `\n${target}: built in ${built.seconds.toFixed(0)} s on ${base.tag}${base.standsIn ? ', a stand-in' : ''}`,
    );
    for (const { size, command } of await layersOf(engine, built.tag))
      say(`  ${size.padStart(8)}  ${shown(command)}`);
    await checkImage(engine, built, base.tag, checks);
  }
}

function shown(command: string): string {
  return command
    .replace(/^\/bin\/sh -c (?:#\(nop\) +)?/, '')
    .replace(/(?<=(?:dir|file):.{8})\S+/, '')
    .slice(0, 90);
}
