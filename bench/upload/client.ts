/**
 * Uploads one file and prints the duration in seconds. A process of its own shares no thread with the
 * measured server. Arguments: URL, file, token, expected status.
 */
import { stat } from 'node:fs/promises';
import { frameFile, sendFile } from '../../cli/client/send-file.ts';

const [url = '', path = '', token = '', expected = ''] = process.argv.slice(2);

const { size: sizeBytes } = await stat(path);
const framing = await frameFile('large.zip', {});
const began = performance.now();
const headers = { authorization: `Bearer ${token}` };
const answer = await sendFile(url, { path, sizeBytes }, { headers, framing });
const seconds = (performance.now() - began) / 1000;
if (answer.status !== Number(expected))
  throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
process.stdout.write(`${seconds}\n`);
