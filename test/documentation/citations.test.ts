/** What comments cite is in this repository. */
import { describe, expect, it } from 'vitest';
import { citationsIn, DOCUMENTS, type DocumentName, faultsOf, sectionsOf } from './citations.ts';
import { readEverything, readPage } from './pages.ts';

/** Made-up texts are written with another sign, so that this file cites nothing itself. */
const written = (text: string) => text.replaceAll('@', '§');

async function readDocuments(): Promise<Record<DocumentName, string>> {
  const pages = Object.entries(DOCUMENTS).map(async ([name, path]) => [name, (await readPage(path)).text]);
  return Object.fromEntries(await Promise.all(pages));
}

it('every citation leads to a heading', async () => {
  const sections = sectionsOf(await readDocuments());
  const files = await readEverything();
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap(({ path, text }) => faultsOf(path, text, sections))).toEqual([]);
  expect(files.flatMap(({ text }) => citationsIn(text)).length).toBeGreaterThan(100);
});

describe('the check itself', () => {
  const sections = sectionsOf({
    architecture: '## Words\n\n### one-insert-per-product\n',
    interface: '## 2. Parts\n\n### 2.6 `queue`\n',
    'package format': '```\n## 9. In code\n```\n## 6. Refused\n',
  });
  const faults = (text: string) => faultsOf('made-up.ts', written(text), sections);

  it('accepts what is there', () => {
    expect(
      faults(`
        /** One at a time (architecture @one-insert-per-product), interface @2–2.6 rule 1, package format @6. */
        // Interface @2, @2.6; RFC 9110 @10.2.3; XML (@4.1)
        /*
         * A comment that goes on in the next line (package
         * format @6).
         */`),
    ).toEqual([]);
  });

  it('finds what is not there, with file, line and citation', () => {
    expect(faults('\n// (interface @2, @2.7)\n// as in (architecture\n// @two-inserts)')).toEqual(
      [
        'made-up.ts:2: interface @2.7 is no heading of docs/interface.md',
        'made-up.ts:3: architecture @two-inserts is no heading of docs/architecture.md',
      ].map(written),
    );
    expect(faults('package format @9').length).toBe(1);
  });

  it('finds documents that are not here and other ways to cite', () => {
    for (const text of ['(design @4.2)', '(design\n * @5)', 'format @6', 'the package format (@4)'])
      expect(faults(text).length, text).toBe(1);
  });
});
