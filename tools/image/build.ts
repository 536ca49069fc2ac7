/** Builds the images of deploy/Dockerfile, and writes the SBOM of each. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };
import type { Engine } from './engine.ts';
import { type Sbom, sbomOf } from './sbom.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The targets of the Dockerfile, and the stage in which each has its dependencies and npm. */
export const TARGETS = {
  service: { repository: 'package-import', dependencies: 'service-dependencies' },
  trials: { repository: 'package-import-trials', dependencies: 'trials-dependencies' },
} as const;

/** The commit of an image (OCI's image specification, annotations). */
export const REVISION_LABEL = 'org.opencontainers.image.revision';

export type Target = keyof typeof TARGETS;

export interface Built {
  target: Target;
  tag: string;
  sbom: Sbom;
  /** The commit that the label names. */
  revision: string;
  seconds: number;
}

export interface BuildRequest {
  /** Tag of both images: `1.0.0`. */
  tag: string;
  /** The base image. */
  base: string;
  /** Directory of the SBOM. */
  directory: string;
}

/** @throws when a build fails */
export async function buildImage(engine: Engine, target: Target, request: BuildRequest): Promise<Built> {
  const started = performance.now();
  const { repository, dependencies } = TARGETS[target];
  const tag = `${repository}:${request.tag}`;
  const revision = await revisionOfCheckout();
  const args = { NODE_IMAGE: request.base };
  await engine.build(ROOT, { target, tag, args, labels: { [REVISION_LABEL]: revision } });
  const seconds = (performance.now() - started) / 1000;
  const withNpm = `${repository}-dependencies:${request.tag}`;
  await engine.build(ROOT, { target: dependencies, tag: withNpm, args });
  const sbom = await sbomOf(engine, { tag, withNpm, name: repository, version: manifest.version });
  await mkdir(request.directory, { recursive: true });
  const file = join(request.directory, `${repository}-${request.tag}.cdx.json`);
  await writeFile(file, `${JSON.stringify(sbom, null, 2)}\n`);
  return { target, tag, sbom, revision, seconds };
}

/** The default base image of both images: a tag, with its digest once it is pinned. */
export async function baseOfDockerfile(): Promise<string> {
  const dockerfile = await readFile(join(ROOT, 'deploy', 'Dockerfile'), 'utf8');
  const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
  if (base === undefined) throw new Error('deploy/Dockerfile sets no NODE_IMAGE');
  return base;
}

/** The commit, with the suffix `-dirty` when files differ from it; empty outside of a repository. */
async function revisionOfCheckout(): Promise<string> {
  const git = promisify(execFile);
  const args = ['describe', '--always', '--abbrev=40', '--exclude=*', '--dirty'];
  return git('git', args, { cwd: ROOT }).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}
