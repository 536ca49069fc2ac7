/** What ships may be passed on: the licence of every package that the image or the packed command line can contain. */
import { glob } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exists, readText } from './support.ts';

const ROOT = new URL('../../', import.meta.url);

/** They ask for their notice to go along, which it does, and for nothing else. */
const SHIPPED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
];

/** Of tools that stay here, more. */
const HERE = [...SHIPPED, 'MPL-2.0', 'Python-2.0'];

/** Looked at by a person, each with what was found. */
const JUDGED: Record<string, string> = {
  'node_modules/caniuse-lite': 'CC-BY-4.0: a table of browsers, which goes along unchanged with its notice',
  'node_modules/unionfs': 'none: its manifest says nothing, its file LICENSE is the Unlicense',
};

interface Locked {
  license?: string;
  dev?: boolean;
  dependencies?: Record<string, string>;
}

interface Manifest {
  licenses?: { type?: string }[];
}

async function locked(): Promise<[path: string, entry: Locked][]> {
  const { packages } = JSON.parse(await readText('package-lock.json')) as {
    packages: Record<string, Locked>;
  };
  return Object.entries(packages).filter(([path]) => path !== '');
}

/** As the lock file says; old packages say it in another way, which npm leaves out there. */
async function licenceOf([path, { license }]: [string, Locked]): Promise<string> {
  if (license !== undefined) return license;
  const manifest = `${path}/package.json`;
  if (!(await exists(manifest))) return 'none';
  const { licenses = [] } = JSON.parse(await readText(manifest)) as Manifest;
  return licenses.map(({ type }) => type ?? 'none').join(' OR ') || 'none';
}

/** @param expression of SPDX, without nested brackets; one that has them is not allowed */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const bare = expression.replace(/^\(([^()]*)\)$/, '$1');
  return bare.split(' OR ').some((one) => one.split(' AND ').every((name) => allowed.includes(name)));
}

async function refused(of: [string, Locked][], allowed: readonly string[]): Promise<string[]> {
  const licences = await Promise.all(of.map(licenceOf));
  return of.flatMap(([path], index) => {
    const licence = licences[index] ?? 'none';
    return isAllowed(licence, allowed) || JUDGED[path]?.startsWith(`${licence}:`)
      ? []
      : [`${path}: ${licence}`];
  });
}

/** What the web page is built of, though it is no dependency of production: the packages that it imports, and theirs. */
async function builtIn(all: [string, Locked][]): Promise<Set<string>> {
  const entries = new Map(all);
  const files = await Array.fromAsync(glob('src/app/**/*.{ts,tsx}', { cwd: fileURLToPath(ROOT) }));
  const texts = await Promise.all(files.map(readText));
  const imported = texts.flatMap((text) => [
    ...text.matchAll(/^import [^;]*?'((?:@[\w.-]+\/)?[\w-][\w.-]*)/gms),
  ]);
  const found = new Set(
    imported.map(([, name]) => `node_modules/${name}`).filter((path) => entries.has(path)),
  );
  for (const path of found)
    for (const name of Object.keys(entries.get(path)?.dependencies ?? {}))
      for (const inner of [`${path}/node_modules/${name}`, `node_modules/${name}`])
        if (entries.has(inner)) found.add(inner);
  return found;
}

describe('licences', () => {
  it('of what ships are on the list', async () => {
    const all = await locked();
    const page = await builtIn(all);
    expect([...page]).toContain('node_modules/preact');
    const shipped = all.filter(([path, { dev }]) => !dev || page.has(path));
    expect(shipped.length).toBeGreaterThan(100);
    expect(await refused(shipped, SHIPPED)).toEqual([]);
  });

  it('of tools are known', async () => {
    expect(await refused(await locked(), HERE)).toEqual([]);
  });

  it('that were judged one by one are still in use', async () => {
    const paths = new Set((await locked()).map(([path]) => path));
    expect(Object.keys(JUDGED).filter((path) => !paths.has(path))).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['Apache-2.0 AND MIT', true],
    ['Apache-2.0 AND GPL-3.0-only', false],
    ['GPL-3.0-only', false],
    ['MPL-2.0', false],
    ['SEE LICENSE IN LICENSE.md', false],
    ['none', false],
    ['(MIT AND (GPL-3.0-only OR BSD-3-Clause))', false],
  ])('%s may ship: %s', (expression, expected) => {
    expect(isAllowed(expression, SHIPPED)).toBe(expected);
  });
});
