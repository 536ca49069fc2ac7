/**
 * The form of an upload: no part is lost in silence, or a dry run would be imported for real. Forms of real clients are
 * read.
 */
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { Connection } from '../support/connection.ts';
import { BODY_END, fieldPart, head, multipartBody, uploadHeaders } from '../support/multipart.ts';
import { startGateway } from '../support/starters/gateway.ts';

const gateway = await startGateway();
afterEach(() => gateway.clear());

/** A part with these lines as its headers. */
const part = (headers: string[], value = 'true') =>
  `--frontier\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n${value}\r\n`;

const unread = (number: number) =>
  `Part ${number} of the multipart body cannot be read. It must begin with its boundary line and a valid header such as: Content-Disposition: form-data; name="comment"`;

const DRY_RUN = 'Content-Disposition: form-data; name="dry_run"';
const FILE = ['Content-Disposition: form-data; name="file"; filename="a.zip"'];
/** The content of a file, of 18 bytes, that begins delimiters and ends none. */
const ALMOST = '\r\n--frontie\r\n\r\r\n--';

/** Returns the status of the answer. */
async function sentByteByByte(body: Uint8Array): Promise<number> {
  const connection = await Connection.open(gateway.port);
  onTestFinished(() => connection.destroy());
  await connection.send(head(uploadHeaders(gateway.token, body.length)));
  for (const byte of body) await connection.send(Uint8Array.of(byte));
  return connection.status();
}

describe('a part that cannot be read', () => {
  const faults: [string, string, string?][] = [
    ['ends with a stray semicolon', part([`${DRY_RUN};`])],
    ['has an unterminated quote', part(['Content-Disposition: form-data; name="dry_run'])],
    ['has a stray character', part([`${DRY_RUN} x`])],
    ['has another disposition', part(['Content-Disposition: attachment; name="dry_run"'])],
    ['has no disposition', part(['Content-Type: text/plain'])],
    ['has a blank after its boundary', part([DRY_RUN]).replace('\r\n', ' \r\n')],
    ['has its name in an unknown charset', part(["Content-Disposition: form-data; name*=x-none''dry_run"])],
    ['has no header', part([]), 'The multipart body is broken: Malformed part header.'],
    ['has no name', part(['Content-Disposition: form-data']), 'A part has no name.'],
    [
      'is binary without a file name',
      part([DRY_RUN, 'Content-Type: application/octet-stream']),
      'Send exactly one file, in the part "file".',
    ],
  ];

  it.each(faults)('%s: 400, and nothing is imported', async (_what, fault, message) => {
    for (const [body, number] of [
      [multipartBody(10, { before: fieldPart('comment', 'x') + fault }), 2],
      [multipartBody(10, { after: fault + fieldPart('comment', 'x') }), 2],
      [multipartBody(10, { before: fieldPart('comment', 'x'), after: fault }), 3],
    ] as const) {
      const answer = await gateway.upload(body);
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({
        status: 400,
        body: { message: message ?? unread(number), data: { code: 'invalid_request' } },
      });
    }
    expect(gateway.imports).toEqual([]);
    expect(await gateway.files()).toEqual([]);
  });

  it('is found if its bytes arrive one by one', async () => {
    const body = multipartBody(10, { after: part([`${DRY_RUN};`]) });
    expect(await sentByteByByte(body)).toBe(400);
    expect(gateway.imports).toEqual([]);
  });

  it('ends a file that has its boundary as the start of a line', async () => {
    const body = Buffer.from(`${part(FILE, 'a\r\n--frontierX\r\nb')}${BODY_END}`);
    expect(await (await gateway.upload(body)).json()).toMatchObject({ message: unread(2) });
  });

  it('stands after the closing boundary', async () => {
    const body = Buffer.from(`${multipartBody(10)}${part([DRY_RUN])}${BODY_END}`);
    expect((await gateway.upload(body)).status).toBe(400);
  });
});

it('a file keeps its bytes, however they arrive', async () => {
  const body = Buffer.from(`${part(FILE, ALMOST)}${BODY_END}`);
  expect(await sentByteByByte(body)).toBe(200);
  const sha256 = createHash('sha256').update(ALMOST).digest('hex');
  expect(gateway.imports.at(-1)).toMatchObject({ sizeBytes: 18, sha256 });
});

/** The headers of a text part, and then those of the file, as these clients send them. */
describe('the form of', () => {
  it.each([
    [
      'curl',
      ['Content-Disposition: form-data; name="comment"'],
      [
        'Content-Disposition: form-data; name="file"; filename="a \\"b\\".zip"',
        'Content-Type: application/zip',
      ],
    ],
    [
      'a browser',
      ['Content-Disposition: form-data; name="comment"'],
      [
        'Content-Disposition: form-data; name="file"; filename="ü %22b%22.zip"',
        'Content-Type: application/x-zip',
      ],
    ],
    [
      'Apache HttpClient',
      [
        'Content-Disposition: form-data; name="comment"',
        'Content-Type: text/plain; charset=ISO-8859-1',
        'Content-Transfer-Encoding: 8bit',
      ],
      [
        'Content-Disposition: form-data; name="file"; filename="a.zip"',
        'Content-Type: application/octet-stream',
        'Content-Transfer-Encoding: binary',
      ],
    ],
    [
      '.NET',
      ['Content-Type: text/plain; charset=utf-8', 'Content-Disposition: form-data; name=comment'],
      ["Content-Disposition: form-data; name=file; filename=a.zip; filename*=utf-8''%C3%BC.zip"],
    ],
    [
      'Python requests, given an empty file name',
      ['Content-Disposition: form-data; name="comment"; filename=""'],
      ['Content-Disposition: form-data; name="file"; filename*=utf-8\'\'%C3%BC.zip'],
    ],
    [
      'Go and undici, with lengths and lower-case names',
      ['content-disposition: form-data; name="comment"', 'content-length: 4'],
      [
        'content-disposition: form-data; name="file"; filename="a.zip"',
        'content-type: application/octet-stream',
      ],
    ],
    [
      'a client that folds lines and adds headers',
      ['X-Part: 1', 'Content-Disposition: form-data;', '\tname="comment"'],
      ['Content-Disposition:form-data;name="file" ; filename="a.zip"', 'X-Part: 2'],
    ],
  ])('%s is read', async (_client, text, file) => {
    const body = Buffer.from(`${part(text, 'hello')}${part(file, ALMOST)}${BODY_END}`);
    for (const sent of [body, Buffer.concat([Buffer.from('preamble\r\n'), body, Buffer.from('epilogue')])]) {
      expect((await gateway.upload(sent)).status).toBe(200);
      expect(gateway.imports.at(-1)).toMatchObject({ comment: 'hello', sizeBytes: 18 });
    }
  });
});
