/** The checklist of the interface names tests that exist, for every section of the document. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const TESTS = new URL('..', import.meta.url);
const INTERFACE = new URL('../../../shared/interface.md', import.meta.url);
const POINT = /^- \[x\] .+ — `(.+)` "(.+)"$/;

const checklist = await readFile(new URL('checklist.md', import.meta.url), 'utf8');
const points = checklist.split('\n').filter((line) => line.startsWith('- '));

it.each(points)('%s', async (point) => {
  const [, file = '', title = ''] = POINT.exec(point) ?? [];
  const tests = await readFile(new URL(file, TESTS), 'utf8');
  expect(tests).toContain(title);
});

it.skipIf(!existsSync(INTERFACE))('covers every section (needs ../shared/interface.md)', async () => {
  const document = await readFile(INTERFACE, 'utf8');
  const headings = (text: string) => text.split('\n').filter((line) => line.startsWith('## '));
  // How the interface will be versioned is not shown.
  const expected = headings(document).filter((heading) => !heading.includes('Versioning'));
  expect(headings(checklist)).toEqual(expected);
  const sections = [...document.matchAll(/^### (\d\.\d) /gm)].map(([, number]) => number ?? '');
  expect(sections.filter((number) => !checklist.includes(`[x] ${number} `))).toEqual([]);
});
