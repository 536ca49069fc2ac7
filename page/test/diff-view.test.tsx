// @vitest-environment happy-dom
/** Unified diffs as the API makes them (activities/extraction/product-diff.ts), drawn for people. */
import { cleanup, render } from '@testing-library/preact';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { afterEach, expect, it } from 'vitest';
import { Patch } from '../screens/upload/dry-run-report.tsx';

afterEach(cleanup);

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
