/** `npm run image`: the images of deploy/Dockerfile, each with its SBOM and provenance (deploy/image.md). */
import { join } from 'node:path';
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { announce, fail } from '../../src/processes/shared/console.ts';
import { baseOfDockerfile, buildImage, ROOT, TARGETS, type Target } from './build.ts';
import { findEngine } from './engine.ts';

/** Exit code when a required program is missing: nothing was built. */
const UNAVAILABLE = 2;

const given = new Command('image')
  .description('Builds the images, and writes the SBOM and the provenance of each beside them.')
  .option('--tag <tag>', 'of the images', manifest.version)
  .option('--base <image>', 'that they are built on; by default that of the Dockerfile')
  .option('--directory <path>', 'for SBOM and provenance', join(ROOT, 'dist', 'image'))
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false)
  .parse()
  .opts<{ tag: string; base?: string; directory: string }>();

const engine = await findEngine();
if (typeof engine === 'string') {
  announce(`No image can be built here: ${engine}.`);
  process.exit(UNAVAILABLE);
}
try {
  const { base = await baseOfDockerfile() } = given;
  if (!(await engine.pull(base))) throw new Error(`${base} is not here, and cannot be pulled.`);
  if (!base.includes('@sha256:'))
    announce(
      `${base} has no digest: tomorrow's image may be another. A release names one (deploy/image.md).`,
    );
  for (const target of Object.keys(TARGETS) as Target[]) {
    const { tag, image, sbom, seconds } = await buildImage(engine, target, { ...given, base });
    announce(`${tag}  ${image.id}  ${sbom.components.length} components  ${seconds.toFixed(0)} s`);
  }
  announce(`SBOM and provenance: ${given.directory}`);
} catch (error) {
  fail(error);
}
