/** The cached bundle of the workflows has a key over all sources: a change of any source makes a new bundle. */
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadWorkflowBundle, SOURCES } from '../../src/temporal/workflow-bundle.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE_MAP = /sourceMappingURL=data:[^,]+,([A-Za-z0-9+/=]+)\s*$/;

it('the bundle contains only sources that its digest covers', async () => {
  const { code } = await loadWorkflowBundle(CACHE_DIRECTORY);
  const [, map = ''] = SOURCE_MAP.exec(code) ?? [];
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] };
  const ours = sources
    .filter((source) => /\/(?:workflows|src)\/[^:]*\.ts$/.test(source) && !source.includes('node_modules'))
    .map((source) => relative(ROOT, source));
  expect(ours.length).toBeGreaterThan(10);
  const folders = new Set(
    ours.map((source) => source.slice(source.search(/workflows\/|src\//)).replace(/\/[^/]+$/, '')),
  );
  expect([...folders].filter((folder) => !SOURCES.includes(folder))).toEqual([]);
});

it('a new bundle removes all but the newest earlier ones', async () => {
  const cache = await temporaryDirectory();
  const directory = join(cache, 'workflow-bundles');
  await mkdir(directory);
  for (let age = 1; age <= 9; age += 1) {
    const file = join(directory, `${age} days old.js`);
    await writeFile(file, '');
    await utimes(file, new Date(), new Date(Date.now() - age * 24 * 60 * 60 * 1000));
  }
  const { code } = await loadWorkflowBundle(cache);
  const kept = await readdir(directory);
  expect(kept).toHaveLength(5);
  expect(kept).toEqual(expect.arrayContaining([1, 2, 3, 4].map((age) => `${age} days old.js`)));
  expect((await loadWorkflowBundle(cache)).code).toBe(code);
});
