// @vitest-environment happy-dom
/** Changes between two product files: the parts that the service sends, as lines that people can read. */
import { cleanup, render } from '@testing-library/preact';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { Diff } from '../screens/product/compare.tsx';
import { SHOWN_LINES, textDiff } from '../screens/product/text-diff.ts';
import { insertWorkflowOf } from '../ui/button.tsx';
import { decodeXml, readableXml } from '../ui/product-file.ts';

afterEach(cleanup);

const elements = (names: string[]) => names.map((name) => `<${name}>x</${name}>`).join('');
const ROOT = ['Submitter', 'SubmissionType', 'GeneralComment'];
const PRODUCT = [
  ...['ProductID', 'PreviousProductID', 'ProductType', 'Volume', 'Presentations', 'Ingredients', 'Emissions'],
  ...['Design', 'StudySummaryFiles'],
];
const FILE = `<EcigProductSubmission>${elements(ROOT)}<Product>${elements(PRODUCT)}</Product></EcigProductSubmission>`;

describe('sections', () => {
  it('are the sections that the service cuts, in its order', async () => {
    // Imported by its path only: it needs the types of Node, which the page does not have.
    const { sectionsOf } = await vi.importActual<{
      sectionsOf(file: object): Record<string, object | null>;
    }>('../../src/products/sections.ts');
    const named = (names: string[]) => Object.fromEntries(names.map((name) => [name, 'x']));
    const sections = sectionsOf({ ...named(ROOT), Product: named(PRODUCT) });
    for (const section of INSERT_STEPS) {
      const names = [...readableXml(FILE, section).matchAll(/<(\w+)>/g)].map(([, name]) => name);
      expect([section, ...names.sort()]).toEqual([section, ...Object.keys(sections[section] ?? {}).sort()]);
    }
  });

  it('ignore white space and the order of attributes', () => {
    const tidy = '<a><b x="1" y="2">text</b><c/></a>';
    const other = '<a>\n\t<b y="2"\n x="1"> text </b>\r\n<c></c></a>';
    expect(readableXml(other, null)).toBe(readableXml(tidy, null));
    expect(readableXml(tidy, null)).toBe('<a>\n  <b x="1" y="2">text</b>\n  <c/>\n</a>\n');
  });

  it('are an error when the file is not valid XML', () => {
    expect(() => readableXml('<a><b></a>', null)).toThrow('not valid XML');
  });
});

describe('encodings', () => {
  const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0));
  it.each([
    ['its declaration', latin('<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>'), '<a>ä</a>'],
    ['UTF-8 without one', new TextEncoder().encode('<a>ä</a>'), '<a>ä</a>'],
    ['a byte order mark', Uint8Array.of(0xff, 0xfe, 0x3c, 0, 0xe4, 0), '<ä'],
    ['UTF-8 where nobody knows the one declared', latin('<?xml encoding="odd-1"?><a/>'), '<a/>'],
  ])('%s', (_, bytes, end) => {
    expect(decodeXml(bytes).endsWith(end)).toBe(true);
  });
});

describe('a comparison', () => {
  const lines = (count: number, mark = '') =>
    Array.from({ length: count }, (_, n) => `${mark}${n}\n`).join('');

  it('lists changed lines with three lines around them', () => {
    const diff = textDiff(lines(100), lines(100).replace('50\n', 'fifty\nmore\n'));
    expect(diff).toMatchObject({ added: 2, removed: 1, leftOut: 0 });
    expect(diff?.hunks).toHaveLength(1);
    expect(diff?.hunks[0]).toMatchObject({ oldStart: 48, newStart: 48 });
    expect(diff?.hunks[0]?.lines).toEqual([
      ...[' 47', ' 48', ' 49', '-50', '+fifty', '+more', ' 51', ' 52', ' 53'],
    ]);
  });

  it('counts all lines, and lists no more than the limit', () => {
    const diff = textDiff(lines(3_000), '');
    expect(diff).toMatchObject({ added: 0, removed: 3_000, leftOut: 3_000 - SHOWN_LINES });
  });

  it('is null when the files are too different', () => {
    expect(textDiff(lines(4_000, 'a'), lines(4_000, 'b'), 1)).toBeNull();
  });

  it('marks added and removed lines by more than colour', () => {
    const diff = textDiff('same\nold\n', 'same\nnew\n');
    if (diff === null) throw new Error('no difference');
    const { container } = render(<Diff diff={diff} />);
    expect(container.querySelector('del')?.textContent).toBe('−old');
    expect(container.querySelector('ins')?.textContent).toBe('+new');
    expect(container.textContent).toContain('1 line added, 1 removed');
  });

  it('without differences says so', () => {
    const { container } = render(<Diff diff={{ hunks: [], added: 0, removed: 0, leftOut: 0 }} />);
    expect(container.textContent).toBe('No differences.');
  });
});

it('the workflow id of an insert is the same in page and service', () => {
  expect(insertWorkflowOf('99962-26-00001')).toBe(insertWorkflowId('99962-26-00001'));
});
