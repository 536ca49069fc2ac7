/**
 * Citations of our own documents in comments and texts, in one form: the document's name, a section sign, and the
 * section. Pages with numbered sections are cited by number, the others by the anchor of the heading. A decision is cited
 * by the name of its file without the number.
 */
import { anchorsOf } from './pages.ts';

/** Name in citations, and the page. */
export const PAGES = {
  architecture: 'docs/architecture.md',
  interface: 'docs/interface.md',
  'package format': 'docs/package-format.md',
} as const;

/** The folder of decisions, one file each. */
export const DECISIONS = 'docs/decisions';

const PLACES = { ...PAGES, decision: DECISIONS };

export type PageName = keyof typeof PAGES;
export type DocumentName = keyof typeof PLACES;

export interface Citation {
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
export function citationsIn(text: string): Citation[] {
  return [...text.matchAll(CITATION)].flatMap(({ index, 1: name = '', 2: sections = '' }) => {
    const document = name.toLowerCase().replace(new RegExp(GAP), ' ') as DocumentName;
    const found = sections.matchAll(new RegExp(SECTION, 'gi'));
    return [...found].map(([section]) => ({ line: lineAt(text, index), document, section }));
  });
}

/** Texts that look like a citation and have another form. */
export function straysIn(text: string): { line: number; text: string }[] {
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
export function sectionsOf(
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
export function faultsOf(
  path: string,
  text: string,
  sections: Record<DocumentName, ReadonlySet<string>>,
): string[] {
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
