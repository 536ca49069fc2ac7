/** The tarballs of a release, each unpacked in an empty folder: command with client library, and service. */
import { execFile } from 'node:child_process';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { spawned } from '../support/command.ts';
import { answer, startFakeService } from '../support/fake-service.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const BUILD = fileURLToPath(new URL('../../cli/build.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TARBALL = `package-import-${manifest.version}.tgz`;
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

const run = promisify(execFile);

it('the packed command runs without other packages, and uploads', async () => {
  const [built, empty] = [await temporaryDirectory(), await temporaryDirectory()];
  await run(process.execPath, [BUILD, built]);
  await run('npm', ['pack', '--pack-destination', empty], { cwd: built });
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', TARBALL], { cwd: empty });
  const modules = join(empty, 'node_modules');
  expect((await readdir(modules)).filter((name) => !name.startsWith('.'))).toEqual(['package-import']);
  const directory = join(modules, 'package-import');
  const program = "import('package-import').then((client) => console.log(Object.keys(client).join()))";
  const { stdout: exported } = await run(process.execPath, ['--eval', program], { cwd: empty });
  expect(exported).toContain('PackageImportClient');
  expect((await readdir(directory)).sort()).toEqual([
    'README.md',
    'THIRD-PARTY-NOTICES.txt',
    'client.mjs',
    'docs',
    'examples',
    'openapi.json',
    'package-import.mjs',
    'package.json',
    'types',
  ]);
  await requireNotices(directory);
  const packed = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  expect(packed).toMatchObject({
    version: manifest.version,
    bin: { 'package-import': 'package-import.mjs' },
  });
  expect(packed.dependencies).toBeUndefined();

  const command = [join(modules, '.bin', 'package-import')];
  expect(await spawned(['--version'], { command, cwd: directory }).result).toEqual({
    code: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  });
  await writeFile(join(directory, 'package.zip'), 'some bytes');
  const service = await startFakeService(async ({ response, readBody }) => {
    await readBody();
    answer(response, 500, 'Invalid submission ZIP: it is none.', { data: { code: 'invalid_package' } });
  });
  const env = {
    PACKAGE_IMPORT_URL: service.url,
    PACKAGE_IMPORT_TOKEN_URL: `${service.url}/oauth2/token`,
  };
  const { result } = spawned(['upload', 'package.zip'], { command, cwd: directory, env });
  expect(await result).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('Invalid submission ZIP: it is none.\n'),
  });
  expect(service.requests[0]?.headers['user-agent']).toBe(`package-import/${manifest.version}`);
});

it('the packed service has only its own files, and its programs start', async () => {
  const empty = await temporaryDirectory();
  await run('npm', ['pack', '--pack-destination', empty], { cwd: ROOT });
  await run('tar', ['-xzf', TARBALL], { cwd: empty });
  const directory = join(empty, 'package');
  expect((await readdir(directory)).sort()).toEqual([
    '.env.example',
    'CHANGELOG.md',
    'README.md',
    'activities',
    'deploy',
    'docs',
    'package.json',
    'page',
    'src',
    'tsconfig.json',
    'workflows',
  ]);
  // Dependencies bring their own licences when npm installs them.
  await symlink(MODULES, join(directory, 'node_modules'));
  for (const program of ['gateway', 'worker', 'migrate']) {
    const command = [join(directory, 'src', 'processes', `${program}.ts`)];
    expect(await spawned(['--help'], { command, cwd: directory }).result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`npm run ${program}`),
      stderr: '',
    });
  }
}, 60_000);

/** esbuild names the source of each part of a bundle in a comment. */
async function requireNotices(directory: string): Promise<void> {
  const bundle = await readFile(join(directory, 'package-import.mjs'), 'utf8');
  const notices = await readFile(join(directory, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const origins = bundle.matchAll(/^ *\/\/ .*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm);
  const names = [...new Set([...origins].map(([, name = '']) => name))];
  expect(names).toEqual(expect.arrayContaining(['commander', 'cli-table3']));
  for (const name of names) {
    const { version } = JSON.parse(await readFile(join(MODULES, name, 'package.json'), 'utf8'));
    const [, notice = ''] = notices.split(`\n${name} ${version}\n`);
    expect([name, notice]).toEqual([name, expect.stringMatching(/^Licence: \S+\n\n.*copyright/is)]);
  }
}
