/** Builds the images of deploy/Dockerfile. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from './container-engine.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The targets of the Dockerfile, and the repository of each. */
export const REPOSITORIES = { service: 'package-import', trials: 'package-import-trials' } as const;

export type Target = keyof typeof REPOSITORIES;

export interface Built {
  target: Target;
  tag: string;
  seconds: number;
}

/** @param base the base image @throws when the build fails */
export async function buildImage(engine: Engine, target: Target, base: string): Promise<Built> {
  const started = performance.now();
  const tag = `${REPOSITORIES[target]}:test`;
  await engine.build(ROOT, { target, tag, args: { NODE_IMAGE: base } });
  return { target, tag, seconds: (performance.now() - started) / 1000 };
}

/** The default base image of both images: a tag, with its digest once it is pinned. */
export async function baseOfDockerfile(): Promise<string> {
  const dockerfile = await readFile(join(ROOT, 'deploy', 'Dockerfile'), 'utf8');
  const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
  if (base === undefined) throw new Error('deploy/Dockerfile sets no NODE_IMAGE');
  return base;
}
