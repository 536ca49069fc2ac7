/** Links between the pages of this repository lead somewhere. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { anchorsOf } from './headings.ts';
import { readPage, readPages } from './pages.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LINK = /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g;

async function isDead(from: string, file: string, anchor: string | undefined): Promise<boolean> {
  const target = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(ROOT, target))) return true;
  if (anchor === undefined || statSync(join(ROOT, target)).isDirectory()) return anchor !== undefined;
  return !anchorsOf((await readPage(target)).text).includes(anchor);
}

it('every relative link leads to a file, and to a heading of it', async () => {
  const dead: string[] = [];
  let links = 0;
  for (const { path, text } of await readPages()) {
    for (const [link, file = '', anchor] of text.matchAll(LINK)) {
      links += 1;
      if (await isDead(path, file, anchor)) dead.push(`${path}: ${link}`);
    }
  }
  expect(links).toBeGreaterThan(50);
  expect(dead).toEqual([]);
});
