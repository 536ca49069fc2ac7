/** `npm run image`: the images of deploy/Dockerfile, each with its SBOM (deploy/image.md). */
import { join } from 'node:path';
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { announce, fail } from '../../src/processes/shared/program.ts';
import { baseOfDockerfile, buildImage, ROOT, TARGETS, type Target } from './build.ts';
import { findEngine } from './engine.ts';

/** Exit code when a required program is missing: nothing was built. */
const UNAVAILABLE = 2;

const given = new Command('image')
  .description('Builds the images and writes the SBOM of each.')
  .option('--tag <tag>', 'tag of the images', manifest.version)
  .option('--base <image>', 'base image; by default that of the Dockerfile')
  .option('--directory <path>', 'directory of the SBOM', join(ROOT, 'dist', 'image'))
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false)
  .parse()
  .opts<{ tag: string; base?: string; directory: string }>();

const engine = await findEngine();
if (typeof engine === 'string') {
  announce(`The images cannot be built on this machine: ${engine}.`);
  process.exit(UNAVAILABLE);
}
try {
  const { base = await baseOfDockerfile() } = given;
  if (!(await engine.pull(base)))
    throw new Error(`The base image ${base} is not on this machine and cannot be pulled.`);
  if (!base.includes('@sha256:'))
    announce(`${base} has no digest, so it may change later. A release needs a digest (deploy/image.md).`);
  for (const target of Object.keys(TARGETS) as Target[]) {
    const { tag, sbom, seconds } = await buildImage(engine, target, { ...given, base });
    announce(`${tag}  ${sbom.components.length} components  ${seconds.toFixed(0)} s`);
  }
  announce(`SBOM: ${given.directory}`);
} catch (error) {
  fail(error);
}
