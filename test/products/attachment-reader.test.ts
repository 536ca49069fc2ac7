/** Attachment files: base64 of any size, decoded while it passes; anything else is refused with a reason. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAttachment } from '../../src/products/attachment-reader.ts';

const ID = '238d0f2d-5dd0-4f07-838e-24680cb37d51';

function attachmentXml(content: string, { id = ID, before = '', after = '' } = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Attachment action="UPDATE">${before}<AttachmentID>${id}</AttachmentID><Filename>leaflet &amp; co.pdf</Filename><Content>${content}</Content><ContentType>application/pdf</ContentType><Confidential>false</Confidential>${after}</Attachment>`;
}

async function read(xml: string | Buffer, chunk = 1) {
  const bytes = Buffer.from(xml);
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) =>
    bytes.subarray(index * chunk, (index + 1) * chunk),
  );
  const reader = readAttachment(Readable.from(chunks));
  const content = Buffer.concat(await Array.fromAsync(reader.content));
  return { content, details: reader.details() };
}

describe('an attachment file', () => {
  it('is read with its details', async () => {
    const { content, details } = await read(attachmentXml(Buffer.from('hello').toString('base64')));
    expect(content.toString()).toBe('hello');
    expect(details).toEqual({
      attachmentId: ID,
      fileName: 'leaflet & co.pdf',
      contentType: 'application/pdf',
      confidential: false,
    });
  });

  it('keeps its content type as it is, also one that is no media type', async () => {
    const { details } = await read(attachmentXml('').replace('application/pdf', ' PDF (signed) '));
    expect(details.contentType).toBe('PDF (signed)');
    const empty = await read(attachmentXml('').replace('application/pdf', ''));
    expect(empty.details.contentType).toBe('application/octet-stream');
  });

  it('returns any content, in any lines and pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3000 }),
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 7, max: 500 }),
        async (bytes, line, chunk) => {
          const base64 = Buffer.from(bytes)
            .toString('base64')
            .replace(new RegExp(`.{${line}}`, 'g'), '$&\r\n  ');
          const { content } = await read(attachmentXml(base64), chunk);
          expect(content.equals(Buffer.from(bytes))).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('may be UTF-16, and have CDATA, comments and a prefix', async () => {
    const xml = attachmentXml('<![CDATA[aGVs]]>bG8=')
      .replace('UTF-8', 'UTF-16')
      .replace(/<(\/?)(\w)/g, '<$1n:$2')
      .replace('action', 'xmlns:n="u" action');
    const { content } = await read(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml, 'utf16le')]));
    expect(content.toString()).toBe('hello');
  });

  it('may be one large CDATA section', async () => {
    const bytes = randomBytes(3 * 1024 * 1024);
    const { content } = await read(attachmentXml(`<![CDATA[${bytes.toString('base64')}]]>`), 200_000);
    expect(content.equals(bytes)).toBe(true);
  });

  it('may have character references, also across pieces', async () => {
    const base64 = Buffer.from('hello').toString('base64');
    const lines = `${base64.slice(0, 3)}&#13;&#xA;`;
    for (let chunk = 1; chunk < 12; chunk += 1) {
      const { content } = await read(attachmentXml(`${lines}${base64.slice(3)}&#x0d;`), chunk);
      expect(content.toString()).toBe('hello');
    }
  });

  it('may have other elements and attributes of any name, and markup in quotes and comments', async () => {
    const before = '<x hasOwnProperty="/>" y="&lt;"><Content>§</Content></x><!--<Content>-->';
    const content = 'aGVs<!-- § --><?x <Content> ?><y>§</y>bG8=';
    for (let chunk = 1; chunk < 30; chunk += 1)
      expect((await read(attachmentXml(content, { before }), chunk)).content.toString()).toBe('hello');
  });

  it('may have CDATA sections across pieces', async () => {
    for (let chunk = 1; chunk < 30; chunk += 1) {
      const { content } = await read(attachmentXml('aG<![CDATA[Vs]]><![CDATA[]]>b<![CDATA[G8=]]>'), chunk);
      expect(content.toString()).toBe('hello');
    }
  });

  it('of many megabytes is read in pieces', async () => {
    const bytes = randomBytes(20 * 1024 * 1024);
    const source = Readable.from(
      Buffer.from(attachmentXml(bytes.toString('base64')))
        .toString()
        .match(/[\s\S]{1,65536}/g)
        ?.map((piece) => Buffer.from(piece)) ?? [],
    );
    let largest = 0;
    let total = 0;
    const reader = readAttachment(source);
    for await (const piece of reader.content) {
      largest = Math.max(largest, piece.length);
      total += piece.length;
    }
    expect(total).toBe(bytes.length);
    expect(largest).toBeLessThan(256 * 1024);
  });

  it('of a damaged archive fails with the reason of the archive', async () => {
    async function* damaged() {
      yield Buffer.from(attachmentXml('§§§§'));
      throw new Error('its checksum does not match');
    }
    const reader = readAttachment(damaged());
    await expect(Array.fromAsync(reader.content)).rejects.toThrow('its checksum does not match');
  });

  it.each([
    ['not base64', attachmentXml('§§§§'), /Content is not base64 \(line 2\)/],
    ['base64 that ends too early', attachmentXml('aGVsbG8'), /ends in the middle of a base64 group/],
    ['something after the padding', attachmentXml('aGVsbG8=aGVs'), /Content is not base64/],
    ['no UUID', attachmentXml('', { id: 'x' }), /AttachmentID "x" is invalid; expected a UUID/],
    [
      'missing elements',
      '<Attachment><Content/></Attachment>',
      /missing AttachmentID, Filename, ContentType, Confidential/,
    ],
    ['another root', '<Product/>', /wrong root element "Product"; expected Attachment/],
    ['truncated', attachmentXml('aGVs').slice(0, 120), /not well-formed XML/],
    [
      'a DOCTYPE',
      `<!DOCTYPE x>${attachmentXml('')}`.replace(/<\?xml.*\?>\n/, ''),
      /a DOCTYPE is not accepted/,
    ],
    [
      'endless markup',
      attachmentXml('', { before: '<!---->'.repeat(50_000) }),
      /characters beside the content/,
    ],
    [
      'a giant attribute',
      attachmentXml('', { before: `<x y="${'z'.repeat(300_000)}"/>` }),
      /characters beside the content/,
    ],
    [
      'a giant comment',
      attachmentXml('', { before: `<!--${'z'.repeat(300_000)}-->` }),
      /characters beside the content/,
    ],
    [
      'a character that XML does not allow',
      attachmentXml('').replace('leaflet', 'leaf\u0001'),
      /not well-formed XML: disallowed character/,
    ],
    ['a fault after lines of content', attachmentXml('\n\n', { after: '\n<x y=1/>' }), /\(line 5\)/],
    ['a fault after CDATA', attachmentXml('<![CDATA[\n]]>\n', { after: '\n</x>' }), /\(line 5\)/],
    ['an attribute twice', attachmentXml('', { before: '<x y="1" y="2"/>' }), /duplicate attribute/],
    ['an entity of its own', attachmentXml('&content;'), /Content is not base64/],
    [
      'content twice',
      attachmentXml('aGVs', { after: '<Content>bG8=</Content>' }),
      /Content occurs more than once/,
    ],
    ['endless nesting', `<Attachment>${'<a>'.repeat(100)}`, /nested more than 64 levels deep/],
    [
      'an endless field',
      attachmentXml('').replace('leaflet', 'x'.repeat(5000)),
      /Filename is longer than 1000/,
    ],
  ])('is refused: %s', async (_title, xml, reason) => {
    const chunk = xml.length > 10_000 ? 1_000 : 1;
    await expect(read(xml, chunk)).rejects.toThrow(reason);
  });
});
