/** The cached bundle of the workflows has a key over all sources: a change of any source makes a new bundle. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadWorkflowBundle, SOURCES } from '../../src/temporal/workflow-bundle.ts';
import { CACHE_DIRECTORY } from '../support/cache-directory.ts';

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
