/// <reference types="node" />
/**
 * Styles stay loaded when another screen is opened. Global classes exist only in `styles/`, which every
 * screen has. All other styles are CSS modules, whose classes match no other file.
 */
import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const APP = new URL('../', import.meta.url).pathname;
const CODE = '{*.tsx,{auth,api,ui,screens}/**/*.{ts,tsx}}';

async function filesOf(pattern: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for await (const file of glob(pattern, { cwd: APP }))
    files.set(file, (await readFile(join(APP, file), 'utf8')).replace(/\/\*[\s\S]*?\*\//g, ''));
  return files;
}

/** Class names of the selectors; in modules, without those of other files. */
function classesIn(css: string): Set<string> {
  const selectors = [...css.matchAll(/([^{};]+)\{/g)].map(([, head = '']) => head.trim());
  const own = selectors
    .filter((head) => !head.startsWith('@'))
    .map((head) => head.replace(/:global\([^)]*\)/g, ''));
  return new Set(own.flatMap((head) => [...head.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = '']) => name)));
}

it('stylesheets outside of styles/ are CSS modules', async () => {
  const outside = [...(await filesOf('{auth,api,ui,screens}/**/*.css')).keys()];
  expect(outside.length).toBeGreaterThan(0);
  expect(outside.filter((file) => !file.endsWith('.module.css'))).toEqual([]);
  for (const [file, code] of await filesOf(CODE)) {
    const imported = [...code.matchAll(/import [^;]*?'(\.[^']*\.css)'/g)].map(([, path = '']) => path);
    const wrong = imported.filter((path) => !/^\.\/[\w-]+\.module\.css$/.test(path));
    expect([file, wrong]).toEqual([file, file === 'main.tsx' ? imported : []]);
  }
});

it('each selector of a module has a class of its own: no other screen has such elements', async () => {
  // Other than those of media, containers and animations.
  for (const [file, css] of await filesOf('screens/**/*.module.css'))
    for (const [, head = ''] of css.matchAll(/([^{};]+)\{/g))
      for (const selector of head.trim().split(/\s*,\s*/))
        if (!/^(@|to$)/.test(selector))
          expect([file, selector.replace(/:global\([^)]*\)/g, '')]).toEqual([
            file,
            expect.stringContaining('.'),
          ]);
});

it('every class of a module is used, and every class that is used exists', async () => {
  const code = await filesOf(CODE);
  for (const [file, css] of await filesOf('screens/**/*.module.css')) {
    const users = [...code].filter(([path]) => dirname(path) === dirname(file)).map(([, text]) => text);
    const used = new Set([...users.join('\n').matchAll(/\bcss\.(\w+)/g)].map(([, name = '']) => name));
    const own = classesIn(css);
    expect([file, [...used].filter((name) => !own.has(name))]).toEqual([file, []]);
    expect([file, [...own].filter((name) => !used.has(name))]).toEqual([file, []]);
  }
});

it('every class that is written out exists in styles/', async () => {
  const shared = new Set([...(await filesOf('styles/*.css')).values()].flatMap((css) => [...classesIn(css)]));
  for (const [file, code] of await filesOf('{*.tsx,{auth,ui,screens}/**/*.tsx}')) {
    const written = [...code.matchAll(/\bclass="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' '));
    expect([file, written.filter((name) => !shared.has(name))]).toEqual([file, []]);
  }
});

it('every colour of a chart has a contrast of 3 to 1 with its card, in light and dark', async () => {
  const tokens = await readFile(join(APP, 'styles/tokens.css'), 'utf8');
  const colours = new Map(
    [...tokens.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name, ...both]) => [
      name,
      both,
    ]),
  );
  const charts = [...colours].filter(([name]) => name?.startsWith('chart-'));
  expect(charts).toHaveLength(10);
  for (const [name, both] of charts)
    for (const [index, scheme] of ['light', 'dark'].entries()) {
      const contrast = contrastOf(both[index] ?? '', colours.get('surface')?.[index] ?? '');
      expect([name, scheme, contrast >= 3]).toEqual([name, scheme, true]);
    }
});

/** WCAG 2. */
function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
