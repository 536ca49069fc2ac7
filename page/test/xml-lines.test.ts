// @vitest-environment happy-dom
/** Lines of a product file: found by a path, shown with their neighbours. */
import { expect, it } from 'vitest';
import { excerptOf, lineOfPath } from '../ui/product-file.ts';

const NESTED = `<?xml version="1.0"?>
<!-- <Product><Name/></Product> -->
<x:Root note="a > b">
  <Product>
    <![CDATA[<Presentations>]]>
    <Presentations>
      <Presentation><Name>one</Name></Presentation>
      <Empty/>
      <Presentation>
        <Name>two</Name>
      </Presentation>
    </Presentations>
  </Product>
</x:Root>`;

it.each([
  ['Product', 4],
  ['Product/Presentations/Presentation[2]/Name', 10],
  ['Product/Presentations/Presentation[1]/Name', 7],
  ['Product/Presentations/Presentation[2]/Missing', 9],
  ['Product/Design', 4],
  ['Submitter', null],
])('finds %s, or the innermost element around it', (path, line) => {
  expect(lineOfPath(NESTED, path)).toBe(line);
});

it('an element of the same name elsewhere is not found', () => {
  expect(lineOfPath('<R>\n<A><B/></A>\n<B>\n<C/></B></R>', 'B/C')).toBe(4);
});

it('an excerpt has the line and its neighbours, without their common indentation', () => {
  const lines = excerptOf(NESTED, 10, 1);
  expect(lines.map(({ number, text, isMeant }) => [number, text, isMeant])).toEqual([
    [9, '<Presentation>', false],
    [10, '  <Name>two</Name>', true],
    [11, '</Presentation>', false],
  ]);
  expect(excerptOf('only', 1)).toEqual([{ number: 1, text: 'only', isMeant: true }]);
  expect(excerptOf(`<a>${'x'.repeat(100_000)}</a>`, 1)[0]?.text.length).toBeLessThan(500);
});
