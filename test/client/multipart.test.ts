/** The framing around a streamed file is the one that `fetch` would send. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameFile } from '../../cli/client/send-file.ts';

const text = fc.string({ unit: 'binary', maxLength: 30 });

describe('frameFile', () => {
  it('is parsed as the same name, fields and content', () =>
    fc.assert(
      fc.asyncProperty(text, text, fc.uint8Array({ maxLength: 200 }), async (name, comment, content) => {
        const { contentType, head, tail } = await frameFile(`${name}.zip`, { comment });
        const body = Buffer.concat([head, content, tail]);
        const form = await new Response(body, { headers: { 'content-type': contentType } }).formData();
        expect([...form.keys()]).toEqual(['comment', 'file']);
        // Line breaks of texts become CR LF, as in every browser.
        expect(form.get('comment')).toBe(comment.toWellFormed().replace(/\r\n?|\n/g, '\r\n'));
        const file = form.get('file') as File;
        expect(file.name).toBe(`${name}.zip`.toWellFormed());
        expect(new Uint8Array(await file.arrayBuffer())).toEqual(content);
      }),
      { numRuns: 200 },
    ));

  it('percent-encodes characters that would end a header', async () => {
    const { head } = await frameFile('a"b\r\nc ü.zip', {});
    expect(head.toString('utf8')).toContain('name="file"; filename="a%22b%0D%0Ac ü.zip"\r\n');
    expect(head.toString('utf8')).toContain('Content-Type: application/zip\r\n');
  });
});
