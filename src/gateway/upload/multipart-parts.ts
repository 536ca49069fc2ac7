/** Passes a multipart body on to busboy, and refuses a body with a part that busboy does not read. */
import type { Writable } from 'node:stream';
import { badRequest } from '../http-error.ts';
import type { MultipartBody } from './multipart-body.ts';

const unread = (part: number) =>
  badRequest(
    `Part ${part} of the multipart body cannot be read. It must begin with its boundary line and a valid header such as: Content-Disposition: form-data; name="comment"`,
  );

/**
 * multer's `streamHandler`. busboy skips a part in silence if its boundary line or its `Content-Disposition` is
 * invalid, and a dry run without its part `dry_run` would be imported for real. So busboy gets the body delimiter by
 * delimiter (RFC 2046 §5.1.1), and must have reported a part once it has the delimiter that ends it. Otherwise busboy
 * fails with HttpError 400.
 */
export function passParts(body: MultipartBody, busboy: Writable, boundary: string): void {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const write = (bytes: Buffer) => new Promise((done) => busboy.write(bytes, done));
  let reported = 0;
  for (const event of ['field', 'file']) busboy.on(event, () => (reported += 1));
  let delimiters = 0;
  // The first delimiter of most bodies has no line break before it.
  let held: Buffer = Buffer.from('\r\n');
  const pass = async (chunk: Buffer): Promise<void> => {
    let rest = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    for (let at = rest.indexOf(delimiter); at >= 0; at = rest.indexOf(delimiter)) {
      const ended = rest.subarray(0, at + delimiter.length);
      rest = rest.subarray(at + delimiter.length);
      await write(ended);
      if (reported < delimiters) return void busboy.destroy(unread(delimiters));
      delimiters += 1;
    }
    held = startOf(delimiter, rest);
    // The last use of the chunk: the storage may take its memory.
    await write(rest.subarray(0, rest.length - held.length));
  };
  // An iterator would copy the chunks that wait into one. The end may arrive while the last chunk is passed on.
  let passed = Promise.resolve();
  body.on('data', (chunk: Buffer) => {
    body.pause();
    passed = pass(chunk).then(() => void body.resume());
  });
  body.on('end', () => void passed.then(() => busboy.end(held)));
}

/** The start of a delimiter at the end of the bytes, or nothing. It begins with the delimiter's only CR. */
function startOf(delimiter: Buffer, bytes: Buffer): Buffer {
  const end = bytes.subarray(Math.max(0, bytes.length - delimiter.length + 1));
  const start = end.subarray(Math.max(0, end.lastIndexOf('\r')));
  return delimiter.subarray(0, start.length).equals(start) ? start : start.subarray(start.length);
}
