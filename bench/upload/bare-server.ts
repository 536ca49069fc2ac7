/**
 * The floor of an upload: a server that writes the body of each request to one file. Argument: that file.
 * Sends its port to its parent.
 */
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

const [path = ''] = process.argv.slice(2);
const server = createServer(async (request, response) => {
  await pipeline(request, createWriteStream(path));
  response.end();
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit(0));
