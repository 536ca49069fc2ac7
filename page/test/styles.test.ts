/** Styles of a screen are loaded for good: a class that shared styles use as well would change every other screen. */
import { glob, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const APP = new URL('../', import.meta.url).pathname;

/** Selectors of a file, by themselves; of nested rules the inner ones, too. */
async function selectorsIn(file: string): Promise<string[]> {
  const css = (await readFile(`${APP}${file}`, 'utf8')).replace(/\/\*[\s\S]*?\*\//g, '');
  const heads = [...css.matchAll(/([^{};]+)\{/g)].map(([, head = '']) => head.trim());
  return heads.filter((head) => !head.startsWith('@')).flatMap((head) => head.split(/\s*,\s*/));
}

async function filesOf(pattern: string): Promise<string[]> {
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: APP })) files.push(file);
  return files.sort();
}

const classesIn = (selector: string) => [...selector.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name);

it('no screen says what a shared class looks like everywhere', async () => {
  const shared = new Set<string>();
  for (const file of await filesOf('{styles,ui}/*.css'))
    for (const selector of await selectorsIn(file)) for (const name of classesIn(selector)) shared.add(name);
  expect(shared).toContain('table');
  const said: string[] = [];
  for (const file of await filesOf('screens/*/*.css'))
    for (const selector of await selectorsIn(file)) {
      const [only, ...others] = classesIn(selector);
      if (only !== undefined && others.length === 0 && shared.has(only)) said.push(`${file}: ${selector}`);
    }
  expect(said).toEqual([]);
});
