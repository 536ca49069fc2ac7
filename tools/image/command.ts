/** `npm run image`: the images of deploy/Dockerfile, each with its SBOM and provenance (deploy/image.md). */
import { join } from 'node:path';
import { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { announce, fail } from '../../src/processes/console.ts';
import { buildImage, ROOT, TARGETS, type Target } from './build.ts';
import { findEngine } from './engine.ts';

/** Nothing was tried: what it needs is missing. */
const UNAVAILABLE = 2;

const given = new Command('image')
  .description('Builds the images, and writes the SBOM and the provenance of each beside them.')
  .option('--tag <tag>', 'of the images', manifest.version)
  .option('--base <image>', 'that they are built on, for a release with its digest', 'node:24-slim')
  .option('--directory <path>', 'for SBOM and provenance', join(ROOT, 'dist', 'image'))
  .showHelpAfterError('(--help shows all options)')
  .allowExcessArguments(false)
  .parse()
  .opts<{ tag: string; base: string; directory: string }>();

const engine = await findEngine();
if (typeof engine === 'string') {
  announce(`No image can be built here: ${engine}.`);
  process.exit(UNAVAILABLE);
}
try {
  if (!(await engine.pull(given.base))) throw new Error(`${given.base} is not here, and cannot be pulled.`);
  if (!given.base.includes('@sha256:'))
    announce(
      `${given.base} has no digest: tomorrow's image may be another. A release names one (deploy/image.md).`,
    );
  for (const target of Object.keys(TARGETS) as Target[]) {
    const { tag, image, sbom, seconds } = await buildImage(engine, target, given);
    announce(`${tag}  ${image.id}  ${sbom.components.length} components  ${seconds.toFixed(0)} s`);
  }
  announce(`SBOM and provenance: ${given.directory}`);
} catch (error) {
  fail(error);
}
