/** The command as a package of its own: one file without dependencies. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { spawned } from '../support/command.ts';
import { answer, startFakeService } from '../support/fake-service.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const BUILD = fileURLToPath(new URL('../../cli/build.mjs', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

it('the packed command runs without other packages, and uploads', async () => {
  const directory = await temporaryDirectory();
  await promisify(execFile)(process.execPath, [BUILD, directory]);
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

  const command = [join(directory, 'package-import.mjs')];
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
