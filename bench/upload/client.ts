/**
 * Uploads one file and prints the duration in seconds. A process of its own shares no thread with the
 * measured server. Arguments: URL, file, token, expected status.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

const [url = '', path = '', token = '', expected = ''] = process.argv.slice(2);

// As long as the boundaries of clients: the time to search for it depends on its length.
const boundary = `------------------------${randomUUID().replaceAll('-', '').slice(0, 22)}`;
const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="large.zip"\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

const { size } = await stat(path);
const began = performance.now();
const answer = await new Promise<IncomingMessage>((resolve, reject) => {
  const call = request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + size + tail.length,
    },
  });
  call.on('response', resolve).on('error', reject);
  call.write(head);
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  file.on('error', reject).on('end', () => call.end(tail));
  file.pipe(call, { end: false });
});
const body = await text(answer);
if (answer.statusCode !== Number(expected)) throw new Error(`${url} answered ${answer.statusCode}: ${body}`);
process.stdout.write(`${(performance.now() - began) / 1000}\n`);
