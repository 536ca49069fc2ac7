/** Links and citations lead to a file, a heading or a decision of this repository. */

import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorsOf, readEverything, readPage, readPages } from './pages.ts';

/** Name in citations, and the page. */
const PAGES = {
  architecture: 'docs/architecture.md',
  interface: 'docs/interface.md',
  'package format': 'docs/package-format.md',
} as const;

/** The folder of decisions, one file each. */
const DECISIONS = 'docs/decisions';

const PLACES = { ...PAGES, decision: DECISIONS };

type PageName = keyof typeof PAGES;
type DocumentName = keyof typeof PLACES;

interface Citation {
  /** Line of the document's name, from 1. */
  line: number;
  document: DocumentName;
  section: string;
}

/** Between two words of a citation: a comment may go on in the next line. */
const GAP = '[\\s*/#]+';
const SECTION = '[a-z0-9]+(?:[.-][a-z0-9]+)*';
const CITATION = new RegExp(
  `\\b(architecture|decision|interface|package${GAP}format)${GAP}§(${SECTION}(?:–${SECTION}|,${GAP}§${SECTION})*)`,
  'gi',
);
/** Documents that are not here, and other ways to write a citation, which nobody would check. */
const STRAY = new RegExp(
  `\\b(?:design|(?<!\\bpackage${GAP})format)${GAP}§|\\b(?:architecture|decision|interface|format|design)${GAP}\\(§`,
  'gi',
);

/** Every citation of a text; one for each section where several are named. */
function citationsIn(text: string): Citation[] {
  return [...text.matchAll(CITATION)].flatMap(({ index, 1: name = '', 2: sections = '' }) => {
    const document = name.toLowerCase().replace(new RegExp(GAP), ' ') as DocumentName;
    const found = sections.matchAll(new RegExp(SECTION, 'gi'));
    return [...found].map(([section]) => ({ line: lineAt(text, index), document, section }));
  });
}

/** Texts that look like a citation and have another form. */
function straysIn(text: string): { line: number; text: string }[] {
  return [...text.matchAll(STRAY)].map(({ index }) => ({
    line: lineAt(text, index),
    text: text.slice(index, index + 40).split('\n', 1)[0] ?? '',
  }));
}

/**
 * The sections of the documents, by name.
 *
 * @param decisions names of files
 */
function sectionsOf(
  pages: Record<PageName, string>,
  decisions: readonly string[],
): Record<DocumentName, Set<string>> {
  return {
    architecture: new Set(anchorsOf(pages.architecture)),
    interface: new Set(anchorsOf(pages.interface)),
    'package format': new Set(anchorsOf(pages['package format'])),
    decision: new Set(decisions.flatMap((file) => /^\d{4}-(.+)\.md$/.exec(file)?.[1] ?? [])),
  };
}

/** The faults in the citations of a file, one line each: place and citation. */
function faultsOf(path: string, text: string, sections: Record<DocumentName, ReadonlySet<string>>): string[] {
  const dead = citationsIn(text)
    .filter(({ document, section }) => !sections[document].has(section))
    .map(
      ({ line, document, section }) =>
        `${path}:${line}: ${document} §${section} is not in ${PLACES[document]}`,
    );
  const strays = straysIn(text).map(({ line, text: stray }) => `${path}:${line}: "${stray}" is no citation`);
  return [...dead, ...strays];
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

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

/** Made-up texts are written with another sign, so that this file cites nothing itself. */
const written = (text: string) => text.replaceAll('@', '§');

async function readSections() {
  const read = async (path: string) => (await readPage(path)).text;
  const pages = {
    architecture: await read(PAGES.architecture),
    interface: await read(PAGES.interface),
    'package format': await read(PAGES['package format']),
  };
  return sectionsOf(pages, await readdir(new URL(`../../${DECISIONS}`, import.meta.url)));
}

it('every citation leads to a heading or a decision', async () => {
  const sections = await readSections();
  const files = await readEverything();
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap(({ path, text }) => faultsOf(path, text, sections))).toEqual([]);
  expect(files.flatMap(({ text }) => citationsIn(text)).length).toBeGreaterThan(100);
});

describe('the check itself', () => {
  const sections = sectionsOf(
    {
      architecture: '## Words\n',
      interface: '## 2. Parts\n\n### 2.6 `queue`\n',
      'package format': '```\n## 9. In code\n```\n## 6. Refused\n',
    },
    ['README.md', '0016-one-insert-per-product.md'],
  );
  const faults = (text: string) => faultsOf('made-up.ts', written(text), sections);

  it('accepts existing headings and decisions', () => {
    expect(
      faults(`
        /**
         * One at a time (decision @one-insert-per-product, architecture @words), interface @2–2.6 rule 1, package
         * format @6.
         */
        // Interface @2, @2.6; RFC 9110 @10.2.3; XML (@4.1)
        /*
         * A comment that goes on in the next line (package
         * format @6).
         */`),
    ).toEqual([]);
  });

  it('reports missing ones with file, line and citation', () => {
    expect(faults('\n// (interface @2, @2.7)\n// as in (decision\n// @two-inserts)')).toEqual(
      [
        'made-up.ts:2: interface @2.7 is not in docs/interface.md',
        'made-up.ts:3: decision @two-inserts is not in docs/decisions',
      ].map(written),
    );
    for (const text of ['package format @9', 'architecture @one-insert-per-product', 'decision @words'])
      expect(faults(text).length, text).toBe(1);
  });

  it('reports unknown documents and other forms of citation', () => {
    for (const text of ['(design @4.2)', '(design\n * @5)', 'format @6', 'the package format (@4)'])
      expect(faults(text).length, text).toBe(1);
  });
});
