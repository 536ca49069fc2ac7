// @vitest-environment happy-dom
/** Differences, of product files and as the API sends them, drawn for people. */
import { cleanup, render } from '@testing-library/preact';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { INSERT_STEPS } from '../../src/contract/steps.ts';
import { insertWorkflowId } from '../../src/domain/ids.ts';
import { Patch } from '../screens/upload/dry-run-report.tsx';
import { insertWorkflowOf } from '../ui/button.tsx';
import { decodeXml, encodeXml, readableXml } from '../ui/product-file.ts';
import { SHOWN_LINES, textDiff } from '../ui/text-diff.ts';

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
  const utf8 = (text: string) => new TextEncoder().encode(text);
  const declaring = (encoding: string, content: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><a>${content}</a>`;

  it.each([
    ['ISO-8859-1', latin(declaring('ISO-8859-1', 'ä\x80'))],
    ['another name of it', latin(declaring('cp819', 'ä\x80'))],
    ['Windows-1252', latin(declaring('windows-1252', 'ä\x80'))],
    ['ISO-8859-9', latin(declaring('ISO-8859-9', '\xfe\x93'))],
    ['Windows-1254', latin(declaring('windows-1254', '\xfe\x93'))],
    ['US-ASCII', latin(declaring('US-ASCII', 'a'))],
    ['UTF-8 without a declaration', utf8('<a>ä</a>')],
    ['UTF-8 by its mark, whatever it declares', utf8(`\ufeff${declaring('ISO-8859-1', 'ä')}`)],
    ['UTF-16 by its mark', Uint8Array.of(0xff, 0xfe, 0x3c, 0, 0xe4, 0)],
  ])('%s is decoded as the service decodes it', async (_, bytes) => {
    // Imported by its path only: it needs the types of Node, which the page does not have.
    const service = await vi.importActual<{ decodeXml(bytes: Uint8Array): string }>(
      '../../src/products/xml/decode.ts',
    );
    expect(decodeXml(bytes)).toBe(service.decodeXml(bytes));
  });

  it.each([
    ['an unknown encoding is UTF-8', utf8(declaring('odd-1', 'ä')), 'ä'],
    ['UTF-16 without its mark is UTF-8', utf8(declaring('UTF-16', 'ä')), 'ä'],
    ['invalid bytes are marked', latin(declaring('UTF-8', 'Gr\xfcn')), 'Gr\ufffdn'],
    ['bytes beyond US-ASCII are marked', latin(declaring('US-ASCII', 'Gr\xfcn')), 'Gr\ufffdn'],
  ])('the service refuses the file: %s', (_, bytes, content) => {
    expect(decodeXml(bytes).endsWith(`<a>${content}</a>`)).toBe(true);
  });

  it('of an edited file is UTF-8, whatever its declaration was', async () => {
    const file = encodeXml('<?xml version="1.0" encoding="ISO-8859-1"?><a>ä</a>', 'a.xml');
    expect(await file.text()).toBe('<?xml version="1.0" encoding="UTF-8"?><a>ä</a>');
    expect(await encodeXml('<a/>', 'a.xml').text()).toBe('<a/>');
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
});

it('the workflow id of an insert is the same in page and service', () => {
  expect(insertWorkflowOf('99962-26-00001')).toBe(insertWorkflowId('99962-26-00001'));
});

const patchOf = (step: string, before: string, now: string) =>
  createTwoFilesPatch(`submission-7/${step}`, `package/${step}`, before, now, undefined, undefined, {
    context: 1,
    headerOptions: FILE_HEADERS_ONLY,
  });

const DESIGN = patchOf(
  'design',
  'A: 1\nDesign/Description/value: "A bottle: blue"\nB: 2\nC: 3\nD: 4\nE: 5\nF: true\n',
  'A: 1\nDesign/Description/value: "A can"\nB: 2\nC: 3\nD: 4\nE: 5\nF: false\nG: null\n',
);
const EMISSION = patchOf('emission', '', 'Emissions: none\n');

it('each section has a heading with its name and its number of changed lines', () => {
  const { container } = render(<Patch patch={DESIGN + EMISSION} />);
  const summaries = [...container.querySelectorAll('h3')].map(({ textContent }) => textContent);
  expect(summaries).toEqual(['Design +3 −2', 'Emissions +1 −0']);
});

it('each field is a line; marks tell added and removed lines apart, not colour alone', () => {
  const { container } = render(<Patch patch={DESIGN} />);
  const lines = [...container.querySelectorAll('.diff-line')].map((line) => [
    line.localName,
    line.querySelector('span')?.textContent,
    line.querySelector('code')?.textContent,
  ]);
  expect(lines).toEqual([
    ['div', ' ', 'A: 1'],
    ['del', '−', 'Design/Description/value: "A bottle: blue"'],
    ['ins', '+', 'Design/Description/value: "A can"'],
    ['div', ' ', 'B: 2'],
    ['div', ' ', 'E: 5'],
    ['del', '−', 'F: true'],
    ['ins', '+', 'F: false'],
    ['ins', '+', 'G: null'],
  ]);
  expect(container.querySelectorAll('.diff-place')).toHaveLength(2);
});

it('values that contain markup or diff marks are drawn as text', () => {
  const before = 'A/value: "<b>bold</b>"\n';
  const now = 'A/value: "--- a +++ b @@ -1,1 +1,1 @@"\n';
  const { container } = render(<Patch patch={patchOf('design', before, now)} />);
  expect(container.querySelector('b')).toBeNull();
  expect(container.querySelector('del')?.textContent).toContain('<b>bold</b>');
  expect(container.querySelector('ins')?.textContent).toContain('@@ -1,1 +1,1 @@');
  expect(container.querySelectorAll('h3')).toHaveLength(1);
});

it('a section without a known name is drawn with its own name', () => {
  const { container } = render(<Patch patch={patchOf('packaging', 'A: 1\n', 'A: 2\n')} />);
  expect(container.querySelector('h3')?.textContent).toBe('packaging +1 −1');
});
