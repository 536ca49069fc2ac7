/** Built things: the web page, and the messages of the proof of the images. */

import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { ensurePage, pageDirectory } from '../../src/processes/gateway/page.ts';
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

it('without an engine, the proof of the images reports what is missing, and ends with 2', () => {
  const file = fileURLToPath(new URL('../image/run.ts', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [file], { env: { PATH: '' }, encoding: 'utf8' });
  expect([status, stdout]).toEqual([2, expect.stringMatching(/Docker.*podman and buildah.*missing/)]);
});
