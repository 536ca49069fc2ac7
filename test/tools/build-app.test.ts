/** The built web page: a small first load, no inline code, no requests to other hosts. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ensurePage, pageDirectory } from '../../src/processes/gateway/page.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';

/** Issue 14: bytes of compressed script for the first screen. */
const FIRST_LOAD_BYTES = 150 * 1024;

let directory: string;
let index: string;
beforeAll(async () => {
  await ensurePage(CACHE_DIRECTORY, () => {});
  directory = await pageDirectory(CACHE_DIRECTORY);
  index = await readFile(join(directory, 'index.html'), 'utf8');
});

it('the list of imports loads at most 150 KB of script', async () => {
  const names = await readdir(join(directory, 'assets'));
  // The files that the page itself loads, and those of its first screen.
  const loaded = names.filter((name) => /^(?:index|imports)-[\w-]+\.js\.br$/.test(name));
  expect(loaded).toHaveLength(2);
  const imported = await Promise.all(loaded.map((name) => importsOf(name.replace('.br', ''))));
  const all = new Set([...loaded, ...imported.flat().map((name) => `${name}.br`)]);
  const sizes = await Promise.all(
    [...all].map(async (name) => (await stat(join(directory, 'assets', name))).size),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);
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

/** Chunks that a chunk imports at once. */
async function importsOf(name: string): Promise<string[]> {
  const code = await readFile(join(directory, 'assets', name), 'utf8');
  return [...code.matchAll(/(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g)].map(([, found]) => found ?? '');
}
