/**
 * Citations of our own documents in comments and texts, in one form: the document's name, a section sign, and the
 * section. Pages with numbered sections are cited by number, the others by the anchor of the heading.
 */
import { anchorsOf } from './headings.ts';

/** Name in citations, and the page. */
export const DOCUMENTS = {
  architecture: 'docs/architecture.md',
  interface: 'docs/interface.md',
  'package format': 'docs/package-format.md',
} as const;

export type DocumentName = keyof typeof DOCUMENTS;

export interface Citation {
  /** Of the document's name, from 1. */
  line: number;
  document: DocumentName;
  section: string;
}

/** Between two words of a citation: a comment may go on in the next line. */
const GAP = '[\\s*/#]+';
const SECTION = '[a-z0-9]+(?:[.-][a-z0-9]+)*';
const CITATION = new RegExp(
  `\\b(architecture|interface|package${GAP}format)${GAP}§(${SECTION}(?:–${SECTION}|,${GAP}§${SECTION})*)`,
  'gi',
);
/** Documents that are not here, and other ways to write a citation, which nobody would check. */
const STRAY = new RegExp(
  `\\b(?:design|(?<!\\bpackage${GAP})format)${GAP}§|\\b(?:architecture|interface|format|design)${GAP}\\(§`,
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

/** What looks like a citation and is in another form. */
export function straysIn(text: string): { line: number; text: string }[] {
  return [...text.matchAll(STRAY)].map(({ index }) => ({
    line: lineAt(text, index),
    text: text.slice(index, index + 40).split('\n', 1)[0] ?? '',
  }));
}

/** The sections of the documents, by name. */
export function sectionsOf(pages: Record<DocumentName, string>): Record<DocumentName, Set<string>> {
  const entries = Object.entries(pages).map(([name, page]) => [name, new Set(anchorsOf(page))]);
  return Object.fromEntries(entries);
}

/** What is wrong with the citations of a file, one line each: place and citation. */
export function faultsOf(
  path: string,
  text: string,
  sections: Record<DocumentName, ReadonlySet<string>>,
): string[] {
  const dead = citationsIn(text)
    .filter(({ document, section }) => !sections[document].has(section))
    .map(
      ({ line, document, section }) =>
        `${path}:${line}: ${document} §${section} is no heading of ${DOCUMENTS[document]}`,
    );
  const strays = straysIn(text).map(({ line, text: stray }) => `${path}:${line}: "${stray}" is no citation`);
  return [...dead, ...strays];
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
