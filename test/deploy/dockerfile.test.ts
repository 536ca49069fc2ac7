/**
 * deploy/Dockerfile against the sources, the configuration and itself. `npm run prove -- image` builds it, and
 * `npm run prove -- compose` runs it.
 */

import { execFileSync } from 'node:child_process';
import { glob, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { NODE } from '../../tools/project-node.mjs';
import { baseOfDockerfile, REPOSITORIES, type Target } from '../support/images.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { exists, readText, scriptsIn, unknownVariables } from './support.ts';

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

interface Stage {
  name: string;
  text: string;
}

const dockerfile = await readText('deploy/Dockerfile');
const manifest = JSON.parse(await readText('package.json')) as Manifest;
/** The lines above the first stage are an element without a name. */
const stages: Stage[] = dockerfile.split(/^(?=FROM )/m).map((text) => ({
  name: /^FROM \S+ AS (\S+)$/m.exec(text)?.[1] ?? '',
  text,
}));
const stage = (name: string) => stages.find((one) => one.name === name)?.text ?? '';
const argument = (name: string) =>
  (new RegExp(`^ARG ${name}="(.*)"$`, 'm').exec(dockerfile)?.[1] ?? '').split(' ');
/** Paths that a stage copies from the repository. */
const copiedBy = (name: string) =>
  [...stage(name).matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));

/** Folders and files of the repository that the stage `service-sources` removes. */
const removed = [...stage('service-sources').matchAll(/(?<=rm -r |^ +)[\w./-]+(?: [\w./-]+)*/gm)]
  .flatMap(([paths]) => paths.split(' '))
  .map((path) => `src/${path}`);
const isBelow = (path: string, folders: readonly string[]) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

const sources: { path: string; text: string }[] = [];

beforeAll(async () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  for await (const path of glob('{src,workflows,activities}/**/*.ts', { cwd: root }))
    sources.push({ path, text: await readText(path) });
});

/** Gone before a file is run. */
const TYPE_IMPORT = /^(?:import|export) type [^;]+;$/gm;

/** The dependencies that files name in quotes: imported, loaded later, or looked up. */
function dependenciesOf(isThere: (path: string) => boolean): string[] {
  const texts = sources
    .filter(({ path }) => isThere(path))
    .map(({ text }) => text.replaceAll(TYPE_IMPORT, ''));
  expect(texts.length).toBeGreaterThan(10);
  return Object.keys(manifest.dependencies).filter((name) => {
    const quoted = new RegExp(`'${name}(?:/[^']*)?'`);
    return texts.some((text) => quoted.test(text));
  });
}

describe('deploy/Dockerfile', () => {
  it('copies existing files that .dockerignore lets through', async () => {
    const copied = stages.flatMap(({ name }) => copiedBy(name));
    expect(copied).toEqual(expect.arrayContaining(['package.json', 'src', 'workflows', 'activities']));
    const allowed = (await readText('.dockerignore')).match(/^!.+$/gm)?.map((line) => line.slice(1)) ?? [];
    for (const path of copied) {
      expect([path, await exists(path)]).toEqual([path, true]);
      expect([path, isBelow(path, allowed)]).toEqual([path, true]);
    }
  });

  it('has the built targets, with the service last as default', () => {
    for (const target of Object.keys(REPOSITORIES)) expect(stage(target)).toMatch(/^FROM runtime AS /);
    expect(stages.at(-1)?.name).toBe('service');
  });

  it('is based on the Node that the project fetches, pinned by its digest if one is given', async () => {
    const [major] = NODE.version.split('.');
    expect(await baseOfDockerfile()).toMatch(new RegExp(`^node:${major}-slim(?:@sha256:[0-9a-f]{64})?$`));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the Dockerfile's own form.
    const before = new Set(['${NODE_IMAGE}']);
    for (const { name, text } of stages.slice(1)) {
      const [, from = ''] = /^FROM (\S+) AS /.exec(text) ?? [];
      expect([name, from, before.has(from)]).toEqual([name, from, true]);
      before.add(name);
    }
  });

  it('is labelled with the version of package.json', () => {
    for (const target of Object.keys(REPOSITORIES)) {
      expect(stage(target)).toContain(`ARG VERSION=${manifest.version}\n`);
      expect(stage(target)).toMatch(/^LABEL .*\\\n +org\.opencontainers\.image\.version="\$\{VERSION\}"$/m);
    }
  });

  it('starts existing programs, on the port and with the variables of the configuration', async () => {
    const { gateway, auth, regulator } = loadConfig({});
    const [, health = ''] = /^ENV HEALTH_PORT=(\d+)$/m.exec(stage('service')) ?? [];
    const ports = { service: `${gateway.port} ${health}`, trials: `${auth.port} ${regulator.port}` };
    for (const target of Object.keys(REPOSITORIES) as Target[]) {
      const command = JSON.parse(/^CMD (\[.+\])$/m.exec(stage(target))?.[1] ?? '[]') as string[];
      for (const script of scriptsIn(command)) expect([script, await exists(script)]).toEqual([script, true]);
      expect(scriptsIn(command)).toHaveLength(1);
      expect(stage(target)).toContain(`EXPOSE ${ports[target]}\n`);
    }
    const [, set = ''] = /^ENV (NODE_ENV(?:\\\n|.)+)$/m.exec(dockerfile) ?? [];
    const names = [...set.matchAll(/(?<=^| )(\w+)=/g)].map(([, name]) => name ?? '');
    expect(unknownVariables(names)).toEqual(['NODE_ENV', 'NODE_OPTIONS', 'TZ', 'XDG_CACHE_HOME']);
    expect(health).toBe('8081');
    expect(stage('service')).toContain('process.env.HEALTH_PORT + "/health/ready"');
  });

  it('runs without root privileges, in every target', () => {
    expect(stage('runtime')).toMatch(/^USER 1000:1000$/m);
    for (const target of Object.keys(REPOSITORIES)) expect(stage(target)).not.toMatch(/^USER/m);
  });
});

it('gets a new digest of its base as deploy/image.md describes', async () => {
  const [, command = ''] = /```sh renew-base\n(.+)\n```/.exec(await readText('deploy/image.md')) ?? [];
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'deploy'));
  const copy = join(directory, 'deploy', 'Dockerfile');
  await writeFile(copy, dockerfile);
  for (const digit of ['a', 'b']) {
    const DIGEST = `sha256:${digit.repeat(64)}`;
    execFileSync('sh', ['-c', command], { cwd: directory, env: { ...process.env, DIGEST } });
    const renewed = await readFile(copy, 'utf8');
    expect(renewed).toContain(`\nARG NODE_IMAGE=node:24-slim@${DIGEST}\n`);
    expect(renewed.replace(/@sha256:[0-9a-f]{64}$/m, '')).toBe(
      dockerfile.replace(/@sha256:[0-9a-f]{64}$/m, ''),
    );
  }
});

describe('the image of the service', () => {
  it('leaves out existing files, and keeps only the programs of production', async () => {
    expect(removed.length).toBeGreaterThan(5);
    for (const path of removed) expect([path, await exists(path)]).toEqual([path, true]);
    const names = (await readdir(new URL('../../src/processes/', import.meta.url))).sort();
    const programs = names.filter((name) => name.endsWith('.ts'));
    const kept = programs.filter((name) => !isBelow(`src/processes/${name}`, removed));
    expect(kept).toEqual(['gateway.ts', 'migrate.ts', 'worker.ts']);
  });

  it('leaves out packages that only those files import', () => {
    const needed = dependenciesOf((path) => !isBelow(path, removed));
    const others = dependenciesOf((path) => isBelow(path, removed)).filter((name) => !needed.includes(name));
    expect(argument('LEFT_OUT').sort()).toEqual(others.sort());
  });
});

describe('the image of the trials', () => {
  it('has the packages that its sources import', () => {
    const copied = copiedBy('trials');
    expect(argument('KEPT').sort()).toEqual(dependenciesOf((path) => isBelow(path, copied)).sort());
  });
});
