/** Command and client library as users install them: built, packed, installed, with the examples of the pages. */

import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { DEMO_CLIENT } from '../../src/trial-parts/identity-service/identity-service.ts';
import { spawned } from '../support/command.ts';
import { answer, startFakeService } from '../support/fake-service.ts';
import { newProductId, productPath, productXml } from '../support/product-xml.ts';
import { startStack } from '../support/starters/stack.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { zipOf } from '../support/zip.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const stack = await startStack();
/** A separate project, in which the packed library is installed. */
const project = await temporaryDirectory();
const dist = join(project, 'dist');
await run(process.execPath, [join(ROOT, 'cli', 'build.mjs'), dist]);
const options = { cwd: project, env: { ...process.env, npm_config_cache: join(project, '.npm') } };
const { stdout } = await run('npm', ['pack', './dist', '--silent'], options);
await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }');
const quiet = ['--offline', '--no-audit', '--no-fund', '--silent'];
await run('npm', ['install', `./${stdout.trim()}`, ...quiet], options);
await cp(join(ROOT, 'examples', 'client'), project, { recursive: true });
const directory = join(project, 'node_modules', 'package-import');

async function packageOf(name: string, ...products: { productId: string; type?: string }[]): Promise<string> {
  const entries = products.map((product, index) => [productPath(`${name}${index}`), productXml(product)]);
  const path = join(project, `${name}.zip`);
  await writeFile(path, await zipOf(Object.fromEntries(entries)));
  return path;
}

async function example(name: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    PACKAGE_IMPORT_URL: stack.gatewayUrl,
    PACKAGE_IMPORT_TOKEN_URL: `${stack.config.auth.issuer}/oauth2/token`,
    CLIENT_ID: DEMO_CLIENT.clientId,
    CLIENT_SECRET: DEMO_CLIENT.clientSecret,
  };
  return (await run(process.execPath, [name, ...args], { cwd: project, env })).stdout;
}

describe('the examples', () => {
  it('upload and wait, list what failed, and retry it', async () => {
    const imports = stack.imports;
    const [good, bad] = [newProductId(), newProductId()];
    imports.reject(bad);
    const path = await packageOf('mixed', { productId: good }, { productId: bad });
    const uploaded = await example('upload-and-wait.mjs', path);
    const [, id = ''] = /^Import (\d+): 2 products queued\.$/m.exec(uploaded) ?? [];
    expect(uploaded).toContain(`Import ${id} completed: 1 products inserted.`);

    expect(await example('list-failures.mjs')).toMatch(
      new RegExp(`^Import ${id}, product ${bad}: .*Rejected on request`, 'm'),
    );

    imports.restoreRegulator();
    expect(await example('retry-failed.mjs', id)).toBe(`${bad}: queued\n2 inserted, 0 failed.\n`);
  });
});

describe('the package', () => {
  it('has the command and the library, without other packages', async () => {
    const modules = join(project, 'node_modules');
    expect((await readdir(modules)).filter((name) => !name.startsWith('.'))).toEqual(['package-import']);
    const program = "import('package-import').then((client) => console.log(Object.keys(client).join()))";
    const { stdout: exported } = await run(process.execPath, ['--eval', program], { cwd: project });
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
    await requireNotices();
    const packed = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    expect(packed).toMatchObject({
      version: manifest.version,
      bin: { 'package-import': 'package-import.mjs' },
    });
    expect(packed.dependencies).toBeUndefined();
  });

  it('has pages whose links lead to its files', async () => {
    const pages = (await readdir(join(directory, 'docs'))).map((page) => join('docs', page));
    for (const page of ['README.md', ...pages]) {
      const text = await readFile(join(directory, page), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g))
        await expect(
          stat(join(directory, dirname(page), target)),
          `${page}: ${target}`,
        ).resolves.toBeDefined();
    }
  });

  it('has a command that runs, and uploads', async () => {
    const command = [join(project, 'node_modules', '.bin', 'package-import')];
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

  it('has types that need only those of Node', async () => {
    const program = `import { ApiError, createPackageImportClient, type ImportReport } from 'package-import';
      const client = createPackageImportClient({ gatewayUrl: 'x', tokenUrl: 'x', clientId: 'x', privateKey: 'x' });
      const report: ImportReport = await client.follow(1);
      const statuses: ('extracting' | 'inserting' | 'completed' | 'failed' | 'cancelled')[] = [report.status];
      const ids: number[] = report.submissions.map(({ id }) => id);
      export const all: unknown[] = [statuses, ids, ApiError];
      // @ts-expect-error: not any
      export const wrong: string = report.progress.regulator_inserted;
    `;
    await writeFile(join(project, 'program.ts'), program);
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024'],
      strict: true,
      noEmit: true,
      types: ['node'],
    };
    const settings = { compilerOptions, files: ['program.ts'] };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings));
    await mkdir(join(project, 'node_modules', '@types'), { recursive: true });
    await symlink(join(ROOT, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const compiled = run(process.execPath, [tsc, '--project', '.'], { cwd: project });
    expect(await compiled.catch(({ stdout }) => ({ stdout }))).toMatchObject({ stdout: '' });
  }, 120_000);

  it('works in a CommonJS bundle', async () => {
    const outfile = join(project, 'bundle.cjs');
    const contents = "export { createPackageImportClient } from 'package-import';";
    const stdin = { contents, resolveDir: project };
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' });
    const program = `console.log(typeof require(${JSON.stringify(outfile)}).createPackageImportClient)`;
    expect((await run(process.execPath, ['--eval', program])).stdout).toBe('function\n');
  });

  it('contains the API description that the gateway serves', async () => {
    const packed = JSON.parse(await readFile(join(directory, 'openapi.json'), 'utf8'));
    const served = (await (await fetch(`${stack.gatewayUrl}/api/doc.json`)).json()) as typeof packed;
    // Only a gateway knows the token endpoint and the scope.
    const withoutScopes = (key: string, value: unknown) => (key === 'security' ? [{ bearer: [] }] : value);
    expect(packed.paths).toEqual(JSON.parse(JSON.stringify(served.paths, withoutScopes)));
    expect(Object.keys(packed.components.schemas)).toEqual(Object.keys(served.components.schemas));
  });
});

/** esbuild names the source of each part of a bundle in a comment. */
async function requireNotices(): Promise<void> {
  const bundle = await readFile(join(directory, 'package-import.mjs'), 'utf8');
  const notices = await readFile(join(directory, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const origins = bundle.matchAll(/^ *\/\/ .*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm);
  const names = [...new Set([...origins].map(([, name = '']) => name))];
  expect(names).toEqual(expect.arrayContaining(['commander', 'cli-table3']));
  for (const name of names) {
    const { version } = JSON.parse(await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8'));
    const [, notice = ''] = notices.split(`\n${name} ${version}\n`);
    expect([name, notice]).toEqual([name, expect.stringMatching(/^Licence: \S+\n\n.*copyright/is)]);
  }
}
