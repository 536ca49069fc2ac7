/** npm of any version runs install scripts only of dependencies that package.json names. */

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, it } from 'vitest';
import { resultOf } from '../support/child-output.ts';
import { listenLocally } from '../support/local-server.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const ROOT = new URL('../../', import.meta.url);
const INSTALL = new URL('tools/install.mjs', ROOT).href;

interface Dependency {
  /** The install script. */
  script: string;
  allowed?: boolean;
}

interface Served extends Dependency {
  tarball: Buffer;
  integrity: string;
}

const LEAVES_A_TRACE = "require('fs').writeFileSync('ran', '')";

let directory: string;
let registry: Server;
/** The registry sends no tarball before. */
let tarballsMayBeSent: Promise<unknown>;
const served = new Map<string, Served>();

beforeEach(async () => {
  directory = await temporaryDirectory();
  served.clear();
  tarballsMayBeSent = Promise.resolve();
  registry = createServer(({ url = '' }, response) => {
    const [, name = '', file] = url.split('/');
    const found = served.get(name);
    if (!found) response.writeHead(404).end();
    else if (file) void tarballsMayBeSent.then(() => response.end(found.tarball));
    else response.end(JSON.stringify(metadataOf(name, found)));
  });
  await listenLocally(registry);
});

const address = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;

const manifestOf = (name: string, { script }: Dependency) => ({
  name,
  version: '1.0.0',
  license: 'MIT',
  scripts: { postinstall: 'node script.cjs' },
  script,
});

function metadataOf(name: string, { integrity, ...dependency }: Served) {
  const dist = { tarball: `${address()}/${name}/${name}.tgz`, integrity };
  const version = { ...manifestOf(name, dependency), hasInstallScript: true, dist };
  return { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } };
}

async function serve(name: string, dependency: Dependency): Promise<void> {
  const source = join(directory, `source-${name}`);
  await mkdir(join(source, 'package'), { recursive: true });
  await writeFile(join(source, 'package', 'package.json'), JSON.stringify(manifestOf(name, dependency)));
  await writeFile(join(source, 'package', 'script.cjs'), dependency.script);
  await promisify(execFile)('tar', ['-czf', `${name}.tgz`, 'package'], { cwd: source });
  const tarball = await readFile(join(source, `${name}.tgz`));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  served.set(name, { ...dependency, tarball, integrity });
}

/** A project that depends on all of them, locked; with our own `.npmrc`. @returns its directory */
async function project(dependencies: Record<string, Dependency>): Promise<string> {
  for (const [name, dependency] of Object.entries(dependencies)) await serve(name, dependency);
  const root = join(directory, 'project');
  await mkdir(root, { recursive: true });
  const versions = Object.fromEntries(Object.keys(dependencies).map((name) => [name, '1.0.0']));
  const allowScripts = Object.fromEntries(
    Object.entries(dependencies).flatMap(([name, { allowed }]) =>
      allowed === undefined ? [] : [[name, allowed]],
    ),
  );
  const own = { name: 'project', version: '1.0.0', dependencies: versions };
  await writeFile(join(root, 'package.json'), JSON.stringify({ ...own, allowScripts }));
  const locked = [...served].map(([name, { integrity }]) => [
    `node_modules/${name}`,
    { version: '1.0.0', integrity, hasInstallScript: true, license: 'MIT' },
  ]);
  const packages = { '': own, ...Object.fromEntries(locked) };
  const lock = { name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
  await writeFile(join(root, 'package-lock.json'), JSON.stringify(lock));
  await writeFile(join(root, '.npmrc'), await readFile(new URL('.npmrc', ROOT)));
  return root;
}

/** Installs as tools/run.mjs does, without user configuration of npm. @returns whether there was anything to install */
async function install(
  root: string,
  hear: (text: string) => void = () => {},
): Promise<{ installed: boolean; code: number | null; said: string }> {
  const program = `import { installDependencies } from ${JSON.stringify(INSTALL)}; process.stdout.write(String(await installDependencies(${JSON.stringify(root)})));`;
  const { PATH, npm_execpath } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: {
      PATH,
      ...(npm_execpath && { npm_execpath }),
      HOME: directory,
      npm_config_registry: address(),
      npm_config_cache: join(directory, 'cache'),
      npm_config_userconfig: join(directory, 'no-npmrc'),
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.on('data', (text) => hear(String(text)));
  const { code, stdout, stderr } = await resultOf(child);
  return { installed: stdout === 'true', code, said: stderr };
}

const ran = (root: string, name: string) => existsSync(join(root, 'node_modules', name, 'ran'));

it('runs the scripts of the named packages only', async () => {
  const root = await project({
    named: { script: LEAVES_A_TRACE, allowed: true },
    denied: { script: LEAVES_A_TRACE, allowed: false },
    unknown: { script: LEAVES_A_TRACE },
  });
  expect(await install(root)).toMatchObject({ installed: true, code: 0 });
  expect(['named', 'denied', 'unknown'].filter((name) => ran(root, name))).toEqual(['named']);
  expect(existsSync(join(root, 'node_modules', 'unknown', 'script.cjs'))).toBe(true);
  expect(await install(root)).toMatchObject({ installed: false, code: 0 });
});

it('runs once for two commands at the same time, and after a command that was killed', async () => {
  const root = await project({ named: { script: LEAVES_A_TRACE, allowed: true } });
  await writeFile(join(root, '.installing'), `${2 ** 22 + 1}`);
  const oneWaits = Promise.withResolvers<void>();
  tarballsMayBeSent = oneWaits.promise;
  const hear = (text: string) => {
    if (text.includes('Waiting for another command that installs the dependencies')) oneWaits.resolve();
  };
  const both = await Promise.all([install(root, hear), install(root, hear)]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const said = both.map((one) => one.said).join('');
  expect(said.match(/Installing 1 dependencies/g)).toHaveLength(1);
  expect(ran(root, 'named')).toBe(true);
  expect(existsSync(join(root, '.installing'))).toBe(false);
});

it('runs no script without names', async () => {
  const root = await project({ unknown: { script: LEAVES_A_TRACE } });
  expect(await install(root)).toMatchObject({ installed: true, code: 0 });
  expect(ran(root, 'unknown')).toBe(false);
});

it('has a decision for every package with a script', async () => {
  const read = async (path: string) => JSON.parse(await readFile(fileURLToPath(new URL(path, ROOT)), 'utf8'));
  const { packages } = (await read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript && path !== ''
      ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)]
      : [],
  );
  const { allowScripts } = await read('package.json');
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(scripted)].sort());
});
