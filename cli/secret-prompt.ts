/** Reads a secret without showing it, and without storing it in the process list or the shell's history. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { Interrupted, UsageError } from './outcome.ts';
import type { Input, Output } from './screen.ts';

/** Maximum characters that are read from a pipe. */
const LONGEST = 64 * 1024;

/** @throws UsageError when there is none, Interrupted by Ctrl-C */
export async function readSecret(question: string, input: Input, output: Output): Promise<string> {
  const secret = input.isTTY ? await ask(question, input, output) : await firstLine(input);
  if (secret === '')
    throw new UsageError('There is no secret: type it, pipe it in, or set PACKAGE_IMPORT_CLIENT_SECRET.');
  return secret;
}

/** Readline, not the terminal, echoes the keys. Its output is discarded. */
async function ask(question: string, input: Input, output: Output): Promise<string> {
  output.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('SIGINT', () => reject(new Interrupted('SIGINT', 2)));
      lines.once('close', () => resolve(''));
      lines.once('line', resolve);
    });
  } finally {
    lines.close();
    output.write('\n');
  }
}

async function firstLine(input: Input): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += chunk;
    if (text.includes('\n') || text.length > LONGEST) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}
