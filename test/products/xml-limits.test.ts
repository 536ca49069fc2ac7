/** The limits of the XML gate are exact: a document at the limit is read, and one beyond it is refused. */
import { expect, it } from 'vitest';
import { readStartTags, XML_LIMITS } from '../../src/products/xml/gate.ts';

it.each<[string, number, (size: number) => string, RegExp]>([
  ['levels', XML_LIMITS.depth, (levels) => '<a>'.repeat(levels) + '</a>'.repeat(levels), /nested more than/],
  ['nodes', XML_LIMITS.nodes, (nodes) => `<a>${'<b/>'.repeat(nodes - 1)}</a>`, /more than 50000 elements/],
  [
    'attributes of an element',
    XML_LIMITS.attributesPerElement,
    (attributes) => `<a ${Array.from({ length: attributes }, (_, n) => `a${n}="1"`).join(' ')}/>`,
    /more than 64 attributes/,
  ],
  [
    'characters between two brackets',
    XML_LIMITS.runLength,
    (characters) => `<a>${'x'.repeat(characters - '<a>'.length)}</a>`,
    /longer than 65536 characters/,
  ],
])('%s', (_what, limit, documentOf, reason) => {
  expect(readStartTags(documentOf(limit)).length).toBeGreaterThan(0);
  expect(() => readStartTags(documentOf(limit + 1))).toThrow(reason);
});
