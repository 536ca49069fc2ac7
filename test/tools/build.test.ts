/** Built things: the web page, and the SBOM and the messages of images. */

import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensurePage, pageDirectory } from '../../src/processes/gateway/page.ts';
import { completed, type Sbom } from '../../tools/image/sbom.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';

let directory: string;
let index: string;
beforeAll(async () => {
  await ensurePage(CACHE_DIRECTORY, () => {});
  directory = await pageDirectory(CACHE_DIRECTORY);
  index = await readFile(join(directory, 'index.html'), 'utf8');
});

it('the page contains no schemas of the contract', async () => {
  const assets = join(directory, 'assets');
  for (const name of (await readdir(assets)).filter((one) => one.endsWith('.js')))
    expect(await readFile(join(assets, name), 'utf8'), name).not.toMatch(/ZodError|_zod\b/);
});

it('the page has no inline script or style, and refers to its own files only', () => {
  expect(index).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
  const addresses = [...index.matchAll(/(?:src|href|content)="([^"]*[./][^"]*)"/g)].map(
    ([, address]) => address,
  );
  expect(addresses.length).toBeGreaterThan(3);
  expect(addresses.filter((address) => !address?.startsWith('./'))).toEqual([]);
});

const component = (name: string, version: string) => ({
  'bom-ref': `${name}@${version}`,
  type: 'library',
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
});

describe('the SBOM', () => {
  const listed: Sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    metadata: { component: component('app', '1.0.0') },
    components: [component('koa', '3.3.0'), component('compiler', '1.2.3'), component('koa', '2.0.0')],
    dependencies: [
      { ref: 'app@1.0.0', dependsOn: ['koa@3.3.0', 'compiler@1.2.3'] },
      { ref: 'koa@3.3.0' },
      { ref: 'compiler@1.2.3', dependsOn: ['koa@2.0.0'] },
    ],
  };
  const contents = {
    node: '24.1.0',
    release: { id: 'debian', version: '12' },
    npm: ['koa@3.3.0'],
    debian: [['libstdc++6', '12.2.0-14+deb12u1', 'amd64']] satisfies [string, string, string][],
  };
  const sbom = completed(listed, contents, { name: 'package-import', version: '1.0.0' });

  it('lists exactly the content of the image, with versions', () => {
    expect(sbom.components.map(({ name, version }) => `${name}@${version}`)).toEqual([
      'koa@3.3.0',
      'node@24.1.0',
      'libstdc++6@12.2.0-14+deb12u1',
    ]);
    expect(sbom.metadata.component).toMatchObject({ name: 'package-import', type: 'container' });
  });

  it('names packages of Debian as scanners expect them', () => {
    expect(sbom.components.at(-1)?.purl).toBe(
      'pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=amd64&distro=debian-12',
    );
  });

  it('has no dependency outside of the list', () => {
    const known = new Set(['app@1.0.0', ...sbom.components.map((one) => one['bom-ref'])]);
    const named = sbom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn]);
    expect(named.filter((ref) => !known.has(ref))).toEqual([]);
    expect(new Set(named)).toEqual(known);
  });
});

describe('without an engine', () => {
  it.each(['tools/image/command.ts', 'test/image/run.ts'])(
    '%s reports what is missing, and ends with 2',
    (program) => {
      const file = fileURLToPath(new URL(`../../${program}`, import.meta.url));
      const { status, stdout } = spawnSync(process.execPath, [file], { env: { PATH: '' }, encoding: 'utf8' });
      expect([status, stdout]).toEqual([2, expect.stringMatching(/Docker.*podman and buildah.*missing/)]);
    },
  );
});
