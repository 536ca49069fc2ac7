/** Product files made to hurt: each is refused with a reason or read, in bounded time, in threads of their own. */
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProductParser, type ProductParser } from '../../activities/reading/parser-pool.ts';
import { plainReason, reasonsText, reasonText } from '../../src/contract/reasons.ts';
import { type ParseResult, parseProduct } from '../../src/products/parse-product.ts';
import { readSubmitter } from '../../src/products/submitter-reader.ts';
import { XmlProblem } from '../../src/products/xml/decode.ts';
import { readStartTags, XML_LIMITS } from '../../src/products/xml/gate.ts';
import { listenLocally } from '../support/local-server.ts';
import { storedFile } from '../support/packed-file.ts';
import { productXml, unknownReferences } from '../support/product-xml.ts';
import { temporaryDirectory } from '../support/temporary.ts';

const MIB = 1024 * 1024;
const ID = '99962-26-00001';
const plain = productXml({ productId: ID });
const behindBrand = (more: string) => plain.replace('<Design>', () => `${more}<Design>`);
const inBrand = (value: string) => plain.replace('>Brand<', () => `>${value}<`);
const withDoctype = (doctype: string, xml = plain) =>
  xml.replace(/<\?xml.*?\?>/, () => `<!DOCTYPE ${doctype}>`);

function reason(result: ParseResult): string {
  if (result.ok) throw new Error('was accepted');
  return reasonsText(result.reasons);
}

const laughs = Array.from({ length: 10 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');

const refused: [title: string, file: () => string | Buffer, expected: RegExp][] = [
  [
    'a DOCTYPE without entities',
    () => withDoctype('EcigProductSubmission'),
    /a DOCTYPE is not accepted at column \d+ \(line 1/,
  ],
  [
    'recursive entities (billion laughs)',
    () => withDoctype(`x [<!ENTITY l0 "lol">${laughs}]`, inBrand('&l10;')),
    /a DOCTYPE is not accepted/,
  ],
  [
    'an entity that refers to itself',
    () => withDoctype('x [<!ENTITY a "&a;">]', inBrand('&a;')),
    /a DOCTYPE is not accepted/,
  ],
  [
    'a parameter entity',
    () => withDoctype('x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]'),
    /a DOCTYPE is not accepted/,
  ],
  [
    'a quadratic blow-up',
    () => withDoctype(`x [<!ENTITY a "${'a'.repeat(50_000)}">]`, inBrand('&a;'.repeat(1000))),
    /a DOCTYPE is not accepted/,
  ],
  ['a DOCTYPE behind the root', () => `${plain}<!DOCTYPE x>`, /not well-formed XML|DOCTYPE/],
  [
    'a DOCTYPE in UTF-16',
    () => Buffer.from(`\ufeff${withDoctype('x')}`, 'utf16le'),
    /a DOCTYPE is not accepted/,
  ],
  ['an entity declared nowhere', () => inBrand('&lol;'), /not well-formed XML: undefined entity.*line \d+/],
  [
    '40,000 levels of nesting',
    () => behindBrand('<a>'.repeat(40_000) + '</a>'.repeat(40_000)),
    /nested more than 64 levels deep at column \d+ \(line \d+/,
  ],
  ['40,000 levels that never end', () => '<a>'.repeat(40_000), /nested more than 64 levels deep/],
  ['100,000 levels', () => '<a>'.repeat(100_000), /more than 50000 elements and comments \(line 1\)/],
  ['a million siblings', () => behindBrand('<a/>'.repeat(1_000_000)), /more than 50000 elements/],
  [
    'a million siblings of the format',
    () => plain.replace('<Presentations>', `<Presentations>${'<Presentation/>'.repeat(200_000)}`),
    /more than 50000 elements/,
  ],
  [
    'a million comments',
    () => behindBrand('<!---->'.repeat(500_000)),
    /more than 50000 elements and comments/,
  ],
  [
    'a million processing instructions',
    () => behindBrand('<?a?>'.repeat(600_000)),
    /more than 50000 elements/,
  ],
  [
    'a CDATA section without an end, with the beginnings of many',
    () => inBrand(`&amp;${'<![CDATA['.repeat(45_000)}`).replaceAll(']]>', ''),
    /not well-formed XML: unclosed tag/,
  ],
  ['a million CDATA sections', () => inBrand('<![CDATA[]]>'.repeat(200_000)), /more than 50000 elements/],
  [
    'a giant attribute',
    () => plain.replace('<Design>', `<Design x="${'y'.repeat(3 * MIB)}">`),
    /longer than 65536 characters \(line \d+/,
  ],
  [
    'a giant attribute of references',
    () => plain.replace('<Design>', `<Design x="${'&amp;'.repeat(100_000)}">`),
    /longer than 65536 characters/,
  ],
  [
    'ten thousand attributes',
    () =>
      plain.replace('<Design>', `<Design ${Array.from({ length: 10_000 }, (_, n) => `a${n}=""`).join(' ')}>`),
    /longer than 65536|more than 64 attributes/,
  ],
  [
    '65 attributes',
    () => plain.replace('<Design>', `<Design ${Array.from({ length: 65 }, (_, n) => `a${n}=""`).join(' ')}>`),
    /an element has more than 64 attributes/,
  ],
  [
    'the same attribute twice',
    () =>
      plain.replace('<BrandName confidential="false"', '<BrandName confidential="false" confidential="true"'),
    /not well-formed XML: duplicate attribute/,
  ],
  ['a giant text', () => inBrand('x'.repeat(3 * MIB)), /longer than 65536 characters/],
  ['a giant element name', () => `<${'x'.repeat(3 * MIB)}/>`, /longer than 65536 characters/],
  ['a giant comment', () => behindBrand(`<!--${'x'.repeat(3 * MIB)}-->`), /longer than 65536 characters/],
  [
    'a giant CDATA section',
    () => inBrand(`<![CDATA[${'x'.repeat(3 * MIB)}]]>`),
    /longer than 65536 characters/,
  ],
  ['a NUL character', () => inBrand('a\0b'), /not well-formed XML: disallowed character/],
  ['a control character', () => inBrand('a\u0008b'), /not well-formed XML: disallowed character/],
  ['a reference to a NUL character', () => inBrand('a&#0;b'), /not well-formed XML/],
  ['a reference to a control character', () => inBrand('a&#x8;b'), /not well-formed XML/],
  ['a reference to half a character', () => inBrand('a&#xD800;b'), /not well-formed XML/],
  ['a reference beyond Unicode', () => inBrand('a&#x110000;b'), /not well-formed XML/],
  ['a reference to an absurd number', () => inBrand(`a&#${'9'.repeat(5000)};b`), /not well-formed XML/],
  ['U+FFFF', () => inBrand('a\uffffb'), /not well-formed XML: disallowed character/],
  [
    'half a character in UTF-16',
    () => Buffer.from(`\ufeff${inBrand('a\ud800b')}`, 'utf16le'),
    /not valid UTF-16LE/,
  ],
  [
    'UTF-16 of an odd number of bytes',
    () => Buffer.from(`\ufeff${plain}`, 'utf16le').subarray(0, -1),
    /not valid UTF-16LE/,
  ],
  [
    'overlong UTF-8',
    () => Buffer.from(inBrand('a\u0001b').replace('\u0001', '\xc0\xaf'), 'latin1'),
    /not valid UTF-8/,
  ],
  [
    'UTF-8 cut in the middle of a character',
    () => Buffer.concat([Buffer.from(plain), Buffer.from([0xe2, 0x82])]),
    /not valid UTF-8/,
  ],
  [
    'bytes beyond the declared ASCII',
    () => Buffer.from(inBrand('Blätter').replace('UTF-8', 'US-ASCII'), 'latin1'),
    /not valid US-ASCII/,
  ],
  ['UTF-32', () => Buffer.from([0xff, 0xfe, 0, 0, 0x3c, 0, 0, 0]), /neither UTF-8 nor UTF-16/],
  ['UTF-7', () => plain.replace('UTF-8', 'UTF-7'), /unknown encoding "utf-7"/],
  ['EBCDIC', () => Buffer.from([0x4c, 0x6f, 0xa7, 0x94, 0x93]), /not valid UTF-8|not well-formed/],
  [
    'an element named __proto__',
    () => behindBrand('<__proto__>1</__proto__>'),
    /the name "__proto__" is not allowed/,
  ],
  [
    'an attribute named constructor',
    () => plain.replace('<Design>', '<Design constructor="1">'),
    /the name "constructor" is not allowed/,
  ],
  [
    'references to more attachments than any product has',
    () => behindBrand(unknownReferences(45_000)),
    /^the product refers to 45001 attachments; at most 1000 are accepted$/,
  ],
  ['two roots', () => `${plain}<x/>`.replace(/<\?xml.*?\?>/, ''), /not well-formed XML/],
  ['text behind the root', () => `${plain}more`, /not well-formed XML/],
  ['an archive', () => Buffer.from('PK\x03\x04\0\0\0\0', 'latin1'), /not well-formed XML|encoding/],
];

describe('refused with the reason', () => {
  it.each(refused)('%s', (_title, file, expected) => {
    const message = reason(parseProduct(Buffer.from(file())));
    expect(message).toMatch(expected);
    expect(message.length).toBeLessThan(400);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

it('an error that nobody expects is a reason against the file, because every attempt would end with it', () => {
  const breaking = null as unknown as Uint8Array;
  expect(reason(parseProduct(breaking))).toMatch(/^reading the file failed unexpectedly \(.+\)$/);
  expect(() => readSubmitter(breaking, '99962.xml')).toThrow(XmlProblem);
});

describe('accepted all the same', () => {
  const read: [title: string, xml: string, warning: RegExp | null][] = [
    [
      'text of as many characters as allowed',
      inBrand('x'.repeat(XML_LIMITS.runLength - 100)),
      /BrandName .* is 65436 characters long/,
    ],
    ['thousands of unknown elements', behindBrand('<Unknown/>'.repeat(40_000)), /… and \d+ more$/],
    [
      'as many references to attachments as are accepted',
      behindBrand(unknownReferences(999)),
      /another order/,
    ],
    ['a value full of brackets', inBrand('a ]] &gt; &lt;b&gt; ]'), null],
    [
      'names of JavaScript as unknown elements',
      behindBrand('<toString/><hasOwnProperty/><valueOf>1</valueOf>'),
      /unknown element "toString"/,
    ],
    ['a character outside of the first plane', inBrand('\u{1f6ac}'), null],
  ];
  it.each(read)('%s', (_title, xml, warning) => {
    const result = parseProduct(Buffer.from(xml));
    if (!result.ok) throw new Error(reasonsText(result.reasons));
    expect(result.product.productId).toBe(ID);
    if (warning === null) expect(result.product.warnings).toEqual([]);
    else expect(result.product.warnings.map(reasonText).join('\n')).toMatch(warning);
    expect(result.product.warnings.length).toBeLessThanOrEqual(101);
  });
});

describe('no entity is loaded', () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('<!ENTITY secret "fetched">');
  });

  it('from the network or the disk', async () => {
    const port = await listenLocally(server);
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'secret'), 'the secret of this machine');
    const addresses = [`http://127.0.0.1:${port}/x.dtd`, `file://${directory}/secret`];
    for (const address of addresses) {
      const files = [
        withDoctype(`EcigProductSubmission SYSTEM "${address}"`),
        withDoctype(`x [<!ENTITY e SYSTEM "${address}">]`, inBrand('&e;')),
        withDoctype(`x [<!ENTITY % p SYSTEM "${address}"> %p;]`),
        behindBrand(
          `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${address}" parse="text"/>`,
        ),
        `<?xml-stylesheet href="${address}"?>${plain.replace(/<\?xml.*?\?>/, '')}`,
        plain.replace(
          '<EcigProductSubmission>',
          `<EcigProductSubmission xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="u ${address}">`,
        ),
      ];
      for (const file of files) {
        expect(JSON.stringify(parseProduct(Buffer.from(file)))).not.toMatch(
          /fetched|the secret of this machine/,
        );
      }
    }
    expect(asked).toEqual([]);
  });
});

describe('the reading process', () => {
  let parser: ProductParser;
  beforeAll(async () => {
    parser = createProductParser({ threads: 1 });
    await parser.parse(storedFile(plain)); // The thread has started.
  });
  afterAll(() => parser.close());

  /** The longest turn of this thread in ms of its CPU time: other programs on the machine do not count. */
  async function longestTurn(work: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    let before = process.threadCpuUsage();
    const note = () => {
      const { user, system } = process.threadCpuUsage(before);
      longest = Math.max(longest, (user + system) / 1e3);
      before = process.threadCpuUsage();
    };
    const ticks = setInterval(note, 5);
    await work();
    clearInterval(ticks);
    note();
    return longest;
  }

  const heavy: [title: string, file: () => string][] = [
    ['one product of 50 MB', () => inBrand('x'.repeat(50 * MIB))],
    ['one product of 50 MB with many elements', () => behindBrand('<a>some text</a>'.repeat(50 * 64 * 1024))],
    ['100,000 levels', () => behindBrand('<a>'.repeat(100_000))],
    ['a million siblings', () => behindBrand('<a/>'.repeat(1_000_000))],
    ['40,000 elements that are read', () => behindBrand('<Unknown>text</Unknown>'.repeat(40_000))],
  ];
  it.each(heavy)('continues during a hostile file: %s', async (_title, file) => {
    const stored = storedFile(file());
    let result: ParseResult | undefined;
    const longest = await longestTurn(async () => ({ result } = await parser.parse(stored)));
    expect(result).toBeDefined();
    expect(longest).toBeLessThan(100);
  });

  it.each([
    ['time', { timeoutMs: 1 }, 'reading the file took longer than 0.001 s'],
    ['memory', { heapMb: 16 }, 'reading the file takes too much memory'],
  ])('survives a file that uses too much %s', async (_title, limits, message) => {
    const limited = createProductParser({ threads: 1, ...limits });
    const large = behindBrand('<Unknown>text</Unknown>'.repeat(45_000));
    const { result } = await limited.parse(storedFile(large));
    await limited.close();
    expect(result).toEqual({ ok: false, reasons: [plainReason(message)], productId: null });
  });

  it('a file that waits for a thread has its whole time', async () => {
    const slow = behindBrand('<Unknown>text</Unknown>'.repeat(2_000));
    const times: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const began = performance.now();
      await parser.parse(storedFile(slow));
      times.push(performance.now() - began);
    }
    const limited = createProductParser({ threads: 1, timeoutMs: Math.ceil(30 * Math.min(...times)) });
    await limited.parse(storedFile(plain)); // The thread has started.
    const files = Array.from({ length: 100 }, () => limited.parse(storedFile(slow)));
    const results = (await Promise.all(files)).map(({ result }) => result.ok);
    await limited.close();
    expect(results.filter((ok) => !ok)).toEqual([]);
  });

  it('reads the other files while one is refused', async () => {
    const files = [plain, '<a>'.repeat(100_000), plain, behindBrand('<a/>'.repeat(1_000_000)), plain];
    const results = await Promise.all(files.map((file) => parser.parse(storedFile(file))));
    expect(results.map(({ result }) => result.ok)).toEqual([true, false, true, false, true]);
  });
});

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
