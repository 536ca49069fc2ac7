/**
 * A file of src/processes is a program that a person or a container starts: by something that is written down, with the
 * same options everywhere.
 */
import { execFile } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { NODE_OPTIONS } from '../../src/processes/shared/program.ts';
import { spawned } from '../support/command.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { exists, readText } from './support.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const names = await readdir(new URL('../../src/processes/', import.meta.url));
const PROGRAMS = names.filter((name) => name.endsWith('.ts'));
const STARTED_BY = ['package.json', 'deploy/Dockerfile', 'docker-compose.yml'];

const pathOf = (name: string) => fileURLToPath(new URL(`../../src/processes/${name}`, import.meta.url));

async function namedPrograms(): Promise<Set<string>> {
  const directory = new URL('../../deploy/kubernetes/', import.meta.url);
  const names = await readdir(directory, { recursive: true });
  const manifests = names.filter((name) => name.endsWith('.yaml')).map((name) => `deploy/kubernetes/${name}`);
  const texts = await Promise.all([...STARTED_BY, ...manifests].map(readText));
  return new Set(texts.flatMap((text) => text.match(/\bsrc\/processes\/[\w-]+\.ts\b/g) ?? []));
}

it('every program is started by a script, an image or a manifest', async () => {
  const named = await namedPrograms();
  expect(PROGRAMS.length).toBeGreaterThan(0);
  expect(PROGRAMS.filter((name) => !named.has(`src/processes/${name}`))).toEqual([]);
});

it('every started program exists', async () => {
  const named = [...(await namedPrograms())];
  const present = await Promise.all(named.map(exists));
  expect(named.filter((_, index) => !present[index])).toEqual([]);
});

/** Runs a program with arguments. With this environment none of them starts, and each that looks at it says so. */
const answer = (name: string, ...args: string[]) =>
  spawned(args, { command: [pathOf(name)], env: { PORT: 'nowhere' } }).result;

it.each(PROGRAMS)('%s describes itself without starting', async (name) => {
  expect(await answer(name, '--help')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^Usage: .+\n\n[\s\S]+--help/),
    stderr: '',
  });
});

it.each(['--hlep', 'help-me'])(
  'the unknown argument %s is refused, by what reads those of every program',
  async (word) => {
    expect(await answer('migrate.ts', word)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`'${word}'`),
    });
  },
);

/** Starts a program with a fault in its environment. */
function started(name: string, env: Record<string, string>) {
  return spawned([], { command: [pathOf(name)], env }).result;
}

it('the trial identity service listens on other addresses only on request', async () => {
  const { code, stderr } = await started('identity-service.ts', { HOST: '0.0.0.0' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('ALLOW_DEMO_PARTS=true')]);
});

it('the gateway refuses to mail to any domain where other machines reach it', async () => {
  const { code, stderr } = await started('gateway.ts', { HOST: '0.0.0.0', ALLOW_DEMO_PARTS: 'true' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('MAIL_RECIPIENT_DOMAINS: must be set')]);
});

it.each(['gateway.ts', 'worker.ts', 'migrate.ts', 'start.ts'])(
  '%s refuses unverified connections to another machine',
  async (name) => {
    const { code, stdout, stderr } = await started(name, {
      DATABASE_URL: 'postgresql://importer:of-the-test@db.example/x',
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      STORAGE_URL: 's3://bucket',
      AWS_ENDPOINT_URL_S3: 'http://minio.example',
    });
    expect(code).toBe(1);
    for (const variable of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'AWS_ENDPOINT_URL_S3'])
      expect(stderr).toContain(`${variable}: must `);
    expect(stdout + stderr).not.toContain('of-the-test');
  },
);

const options = NODE_OPTIONS.join(' ');

it.each(['gateway', 'worker'])('npm run %s', async (name) => {
  const { scripts } = JSON.parse(await readText('package.json')) as { scripts: Record<string, string> };
  expect(scripts[name]).toBe(`exec node ${options} tools/run.mjs src/processes/${name}.ts`);
});

it('the image', async () => {
  expect(await readText('deploy/Dockerfile')).toContain(`NODE_OPTIONS="${options}"`);
});

it('the tarball of the service has only its own files, and its programs start', async () => {
  const empty = await temporaryDirectory();
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', empty], { cwd: ROOT });
  await run('tar', ['-xzf', stdout.trim()], { cwd: empty });
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
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  for (const program of ['gateway', 'worker', 'migrate']) {
    const command = [join(directory, 'src', 'processes', `${program}.ts`)];
    expect(await spawned(['--help'], { command, cwd: directory }).result).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`npm run ${program}`),
      stderr: '',
    });
  }
}, 60_000);
