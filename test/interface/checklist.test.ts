/** The checklist of the interface names tests that exist, for every section of the contract. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const TESTS = new URL('..', import.meta.url);
const INTERFACE = new URL('../../docs/interface.md', import.meta.url);
/** Versioning and extensions of the interface are no promises to clients. */
const NOT_PROMISED = /^## (?:9|10)\. /;
const POINT = /^- \[x\] .+ — `(.+)` "(.+)"$/;

const checklist = await readFile(new URL('checklist.md', import.meta.url), 'utf8');
const points = checklist.split('\n').filter((line) => line.startsWith('- '));

it.each(points)('%s', async (point) => {
  const [, file = '', title = ''] = POINT.exec(point) ?? [];
  const tests = await readFile(new URL(file, TESTS), 'utf8');
  expect(tests).toContain(title);
});

it('covers every section of docs/interface.md', async () => {
  const document = await readFile(INTERFACE, 'utf8');
  const headings = (text: string) => text.split('\n').filter((line) => line.startsWith('## '));
  expect(headings(checklist)).toEqual(headings(document).filter((heading) => !NOT_PROMISED.test(heading)));
  const sections = [...document.matchAll(/^### (\d\.\d) /gm)].map(([, number]) => number ?? '');
  expect(sections.length).toBeGreaterThan(10);
  expect(sections.filter((number) => !checklist.includes(`[x] ${number} `))).toEqual([]);
});
